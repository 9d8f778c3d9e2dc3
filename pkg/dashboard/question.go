package dashboard

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

// Question is what a worker is asked.
type Question struct {
	About  subject        `json:"about"`
	Status string         `json:"status"` // commit of the status branch that people see; an answer may be about a later one
	Now    time.Time      `json:"now"`
	Reads  access.Reading `json:"reads"` // what the answer may tell of

	Body   json.RawMessage `json:"body,omitempty"`   // of what-if, and of drafts
	Head   string          `json:"head,omitempty"`   // of a plan
	Dir    string          `json:"dir,omitempty"`    // of a source
	Layer  string          `json:"layer,omitempty"`  // of a schema
	Tenant string          `json:"tenant,omitempty"` // of a schema, and of offers
}

// subject is what a question is about.
type subject string

const (
	aboutWhatIf  subject = "what-if"
	aboutPlan    subject = "plan"
	aboutSource  subject = "source"
	aboutOffers  subject = "offers"
	aboutSchema  subject = "schema"
	aboutPreview subject = "preview"
	aboutSaving  subject = "saving" // a preview, and if the draft may be saved, what is
)

// Answer is what a worker says.
type Answer struct {
	Status  int      `json:"status"`            // of HTTP
	Body    []byte   `json:"body,omitempty"`    // as the client gets it
	Commit  string   `json:"commit,omitempty"`  // of the status branch that it is about
	Tenants []string `json:"tenants,omitempty"` // that it was made from, where it may not tell of all
	Draft   *Drafted `json:"draft,omitempty"`   // to be saved; nil: nothing is
	Stale   bool     `json:"stale,omitempty"`   // in place of an answer: what it is about changed since the worker followed it
}

// Drafted is a draft that may be saved.
type Drafted struct {
	Commit    string          `json:"commit"` // that it goes onto
	Changes   []clone.Change  `json:"changes"`
	Approvals []plan.Approval `json:"approvals"` // that its merge needs
	Text      string          `json:"text"`      // for whoever reviews it; "" for who may not read all of it
}

// answered returns what is said as an answer, unless there is an error.
func answered(said any, err error) (Answer, error) {
	if err != nil {
		return Answer{}, err
	}
	body, err := view.JSON(said)
	return Answer{Status: http.StatusOK, Body: body}, err
}

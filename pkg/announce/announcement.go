package announce

import (
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Announcement is one change that was saved.
type Announcement struct {
	Key  Key  `json:"key,omitzero"` // zero: nobody has numbered it
	Kind Kind `json:"kind"`
	Subject
	Change
	Times `json:"-"`
}

// Key identifies an announcement: the ledger, what it is about, and its number there.
// The number is that of the save, and its place among what the save changed.
type Key struct {
	Ledger string
	App    model.AppID // zero: the fleet
	Save   int64
	Place  int // from 1
}

// String returns ledger/tenant/application/save-place, and "fleet" for the application
// of what is about the fleet.
func (k Key) String() string {
	about := "fleet"
	if k.App != (model.AppID{}) {
		about = k.App.String()
	}
	return fmt.Sprintf("%s/%s/%d-%d", k.Ledger, about, k.Save, k.Place)
}

// MarshalText writes the key as String does.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Subject is what changed.
type Subject struct {
	App      model.AppID `json:"application,omitzero"` // zero: the fleet
	Instance int         `json:"instance"`             // 0: the fleet
	Run      int         `json:"run,omitempty"`        // the number of the run of a workflow
	Step     string      `json:"step,omitempty"`       // of the run, "": the run itself
	Stage    int         `json:"stage,omitempty"`      // of the step, from 1
	Object   string      `json:"object,omitempty"`     // Deployment acme/web
	Type     string      `json:"-"`                    // of the step, "" if it is not known any more
}

// Change is what became of it.
type Change struct {
	At      time.Time    `json:"at"`
	From    string       `json:"from,omitempty"` // "": there was nothing before
	To      string       `json:"to"`
	Reason  model.Reason `json:"reason"`
	Message string       `json:"message,omitempty"`
	Commit  string       `json:"commit,omitempty"` // of the fleet repo
	By      string       `json:"by,omitempty"`     // the people who did it

	// Changes are what a change of admission is about.
	Changes []model.AdmissionChange `json:"changes,omitempty"`
}

// Times are how long it took.
type Times struct {
	Took   time.Duration // in what has ended: a phase, an attempt of a step, a run
	Queued time.Duration // with a grant: since the instance came to be
}

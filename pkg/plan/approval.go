package plan

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Approval is a part of the fleet repo whose files a change touches, and who may change these by access.
type Approval struct {
	App    model.AppID `json:"-"`
	Area   string      `json:"area"` // "platform", "tenant acme", "application acme/shop"
	Files  int         `json:"files"`
	Path   string      `json:"path"`   // the first of the files
	People int         `json:"people"` // how many have to sign; 0: access does not ask for signatures
	Who    []string    `json:"who"`    // handles of those who may, sorted; none: nobody is named
}

// String describes it: "application acme/shop (2 files): @ada or @bob".
func (a *Approval) String() string {
	who := "nobody is named"
	if len(a.Who) > 0 {
		who = text.Enumerate(a.Who, 8)
	}
	if a.People > 1 {
		who = fmt.Sprintf("%d of %s", a.People, who)
	}
	return fmt.Sprintf("%s (%s): %s", a.Area, text.Count(a.Files, "file"), who)
}

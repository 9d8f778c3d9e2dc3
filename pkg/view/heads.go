package view

import (
	"time"

	"github.com/d-aros/d-aros/pkg/source/clone"
)

// Heads are what may be merged into the branch that declares the fleet.
type Heads struct {
	Base  string `json:"base"` // that branch
	Heads []Head `json:"heads"`
	More  bool   `json:"more"` // there are others, whose commits are older
}

// Head is the newest commit of a branch, or of a pull request that was fetched.
type Head struct {
	Name    string    `json:"name"` // to ask for its plan with
	Commit  string    `json:"commit"`
	Time    time.Time `json:"time,omitzero"`
	Author  string    `json:"author"`
	Subject string    `json:"subject"`
}

// MaxHeads bounds an answer about heads.
const MaxHeads = 200

// HeadsOf returns the answer for the heads of a clone, without the branch that declares the fleet and the status branch.
func HeadsOf(all []clone.Proposal, base, status string) Heads {
	v := Heads{Base: base, Heads: []Head{}}
	for i := range all {
		h := &all[i]
		if branch := clone.BranchOf(h.Ref); branch == base || branch == status {
			continue
		}
		if len(v.Heads) == MaxHeads {
			v.More = true
			break
		}
		v.Heads = append(v.Heads, Head{h.Name, h.Commit, h.Time, h.Author, h.Subject})
	}
	return v
}

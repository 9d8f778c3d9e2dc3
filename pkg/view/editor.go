package view

import (
	"encoding/json"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// Source is what the files of a fleet repo say of an application, a tenant or the platform, without the values of secrets.
type Source struct {
	Application string          `json:"application"` // "" of a tenant and of the platform
	Dir         string          `json:"dir"`
	Base        string          `json:"base"` // the commit of the files, that drafts start from
	Files       []SourceFile    `json:"files"`
	Places      []SourcePlace   `json:"places"`
	Declared    json.RawMessage `json:"declared"` // with the defaults; null if it is refused
	Problems    []Problem       `json:"problems"`

	Policy []model.PolicyValue `json:"policy"` // in force: who sets a default
}

// SourceFile is a file as people wrote it.
type SourceFile struct {
	Path   string  `json:"path"`
	Text   *string `json:"text"`   // null: see Masked
	Masked bool    `json:"masked"` // values of secrets are in it, or may be
}

// SourcePlace is where a file says something.
type SourcePlace struct {
	Path  []string     `json:"path"` // below what the layer declares
	File  string       `json:"file"`
	Line  int          `json:"line"`
	Kind  cuefile.Kind `json:"kind"`
	Why   string       `json:"why"`   // it is computed
	Value any          `json:"value"` // of a literal; {"set": true} of a secret
}

// Problem is a problem with the field that it is about.
type Problem struct {
	model.Problem
	Dir   string   `json:"dir"`   // of the layer that it is about
	Field []string `json:"field"` // below what the layer declares; empty where that cannot be told
}

// Offers are what a declaration can name in a fleet.
type Offers struct {
	Base           string         `json:"base"` // the commit that offers them, that drafts start from
	ComponentTypes []OfferedType  `json:"componentTypes"`
	StepTypes      []OfferedType  `json:"stepTypes"`
	Traits         []OfferedTrait `json:"traits"`
	Pools          []OfferedPool  `json:"pools"`
	Runtimes       []string       `json:"runtimes"`
	QoS            []string       `json:"qos"`
	Bands          []model.Band   `json:"bands"`
	Applications   []string       `json:"applications"` // of the tenant
	Tenants        []string       `json:"tenants"`
}

// OfferedType is a type of component or of step.
type OfferedType struct {
	Name       string `json:"name"`
	About      string `json:"about"`
	Definition bool   `json:"definition"` // the platform or the tenant defines it
}

// OfferedTrait is a trait with the types of components that can have it.
type OfferedTrait struct {
	Name       string   `json:"name"`
	About      string   `json:"about"`
	Types      []string `json:"types"`
	Definition bool     `json:"definition"`
}

// OfferedPool is a pool that components can be placed in.
type OfferedPool struct {
	Name     string   `json:"name"`
	OS       []string `json:"os"`
	Runtimes []string `json:"runtimes"`
}

// Preview is what a draft would do.
type Preview struct {
	Saves     bool            `json:"saves"` // it may be saved
	Base      string          `json:"base"`  // the commit that it goes onto
	Files     []PreviewFile   `json:"files"`
	Diff      string          `json:"diff"` // unified, without the values of secrets
	Conflicts []DraftConflict `json:"conflicts"`
	Problems  []Problem       `json:"problems"`
	Plan      *Plan           `json:"plan"` // null if there are conflicts
}

// PreviewFile is a file that a draft changes.
type PreviewFile struct {
	Path    string `json:"path"`
	Created bool   `json:"created"`
	Deleted bool   `json:"deleted"`

	Text *string `json:"text"` // after the draft; null where it is large, or has values of secrets
}

// DraftConflict is a value that somebody else has changed since the base of a draft, as CUE; "" where nothing is written.
type DraftConflict struct {
	Dir    string   `json:"dir"`
	Path   []string `json:"path"`  // below what the layer declares, or that of a file
	Whole  bool     `json:"whole"` // it is about the text of the file
	Base   string   `json:"base"`
	Mine   string   `json:"mine"`
	Theirs string   `json:"theirs"`
}

// SavedDraft is a draft that has a branch.
type SavedDraft struct {
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	Signed bool   `json:"signed"`
	Push   string `json:"push"` // the command that offers it to others; "": nothing is left to do

	Pushed  bool   `json:"pushed"`  // the origin has it
	Refused string `json:"refused"` // why the origin did not take it, in its words
	Propose string `json:"propose"` // URL of a pull request of it, "" where the Git host is not known
	Text    string `json:"text"`    // for the pull request: the effect as "plan -o markdown" has it

	Approvals []plan.Approval `json:"approvals"` // who may make such a change; with a number of people, their signed merge alone is valid
}

// WrittenDraft is a draft that is in the work tree, and in no commit.
type WrittenDraft struct {
	Written []string `json:"written"` // files
}

// Schemas are the layers of a fleet repo that have a schema.
type Schemas struct {
	Schemas []string `json:"schemas"`
}

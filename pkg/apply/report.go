package apply

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Ref names an object of a cluster. It has no version: the same object can be
// read in several.
type Ref struct {
	Group, Kind, Namespace, Name string
}

// String returns Kind namespace/name, or Kind name if it is in no namespace.
func (r Ref) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// GroupKind returns the kind of the object. Its text has the group, as in Deployment.apps.
func (r Ref) GroupKind() schema.GroupKind { return schema.GroupKind{Group: r.Group, Kind: r.Kind} }

// Compare orders by group, kind, namespace and name.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(strings.Compare(r.Group, o.Group), strings.Compare(r.Kind, o.Kind),
		strings.Compare(r.Namespace, o.Namespace), strings.Compare(r.Name, o.Name))
}

// Action is the action taken on one object.
type Action string

// Actions.
const (
	Created    Action = "created"
	Configured Action = "configured" // changed, because the declaration changed
	Adopted    Action = "adopted"    // taken over from others, as application.adopt says
	Corrected  Action = "corrected"  // changed back, because others had changed the object
	Unchanged  Action = "unchanged"
	Pruned     Action = "pruned"
	Kept       Action = "kept"    // left alone on purpose
	Failed     Action = "failed"  // the API server refused it
	Skipped    Action = "skipped" // not tried, because of an earlier failure or a cancellation
)

// Result is the outcome of one object.
type Result struct {
	Ref
	Component string
	Action    Action
	Reason    model.Reason // why it failed, see the Outcome constants; "" if the API server said nothing about the object
	Field     string       // that the API server refused, as it names it
	Message   string       // why, for people; never has values of the object
	Drift     []Difference // of a corrected or adopted object: the fields that others had changed
}

// String tells what became of the object, and why.
func (r Result) String() string {
	s := r.Ref.String() + " " + string(r.Action)
	if r.Message != "" {
		s += ": " + strings.TrimPrefix(r.Message, r.Ref.String()+": ")
	}
	return s
}

// What says what was corrected, and who changed it, or what was taken over, and from whom.
func (r *Result) What() string {
	if r.Action != Corrected && r.Action != Adopted {
		return r.Message
	}
	did := "changed"
	if r.Action == Adopted {
		did = "held"
	}
	return listFields(r.Drift, did)
}

// listFields lists fields, each with the manager that changed or holds it.
func listFields(differ []Difference, did string) string {
	var changed []string
	for _, d := range differ {
		field := cmp.Or(d.Path, "the whole object was gone")
		if d.Manager != "" {
			field += " (" + did + " by " + d.Manager + ")"
		}
		changed = append(changed, text.Line(field, fieldCap))
	}
	return text.Enumerate(changed, 10)
}

// Difference is one field that somebody else had changed.
type Difference struct {
	Path    string // spec.template.spec.containers[name=web].image; "" if the whole object was gone
	Manager string // the field manager that holds it now, "" if it was removed or nobody says
}

// SetReport is the outcome of one set.
type SetReport struct {
	App     model.AppID
	Results []Result // in the order of the set, then the pruned objects
	Notices []string // sentences for people, besides the results

	UnderWay bool // it has not ended: a later call of Apply tells what it came to

	NotAdopted []NotAdopted // entries of application.adopt that take no object
}

// NotAdopted is an entry of application.adopt that takes no object.
type NotAdopted struct {
	Entry   int // its index
	Message string
}

// OK reports whether every object of the set is as wanted.
func (r SetReport) OK() bool {
	return !r.UnderWay && !slices.ContainsFunc(r.Results, func(r Result) bool { return r.Action == Failed || r.Action == Skipped })
}

// Requests counts the requests to the API server, without watches and discovery.
type Requests struct {
	Apply, Get, Delete int
}

func (r Requests) since(before Requests) Requests {
	return Requests{Apply: r.Apply - before.Apply, Get: r.Get - before.Get, Delete: r.Delete - before.Delete}
}

// Report is the outcome of one call of Apply.
type Report struct {
	Sets     []SetReport // in the order in which they were given
	Requests Requests
	Err      error // the call ended early: it was cancelled, or the API server does not answer
}

// Find returns the report of an application's set, or of a tenant's (Name "").
func (r Report) Find(app model.AppID) (*SetReport, bool) {
	for i := range r.Sets {
		if r.Sets[i].App == app {
			return &r.Sets[i], true
		}
	}
	return nil, false
}

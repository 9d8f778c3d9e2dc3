package apply

import (
	"crypto/sha256"
	"reflect"
	"unique"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
)

// Object is the part of a watched object that Live keeps. It is never changed.
type Object struct {
	Ref
	UID       string
	Version   string // resourceVersion
	App       model.AppID
	Component string
	Workload  string // render.AnnotationWorkload, "" if it has none
	Owner     Ref    // the controller that made it, zero if none
	Summary   any    // the result of Options.Summary
	Deleting  bool

	labelled  bool                  // it carries the label of the fleet
	keep      bool                  // render.AnnotationPrune or adopted says so
	instance  int32                 // render.LabelInstance, 0 if it has none
	commit    unique.Handle[string] // render.AnnotationCommit; many objects share one
	owner     unique.Handle[string] // render.AnnotationOwner, if we applied it
	adopted   string                // render.AnnotationAdopted
	labels    map[string]string     // of an adopted object
	applied   string                // render.AnnotationApplied
	own       packed                // the values of our fields; "" once they are known to be unchanged
	left      mark                  // of own
	inventory *inventory            // of an inventory, else nil
}

// mark tells the values of our fields from others, zero if we have none: half of their SHA-256, as in model.Digest.
type mark [sha256.Size / 2]byte

func (m mark) none() bool { return m == mark{} }

func markOf(own []byte) (m mark) {
	sum := sha256.Sum256(own)
	copy(m[:], sum[:])
	return m
}

// Ours reports whether we applied the object: its labels alone may be a copy.
func (o *Object) Ours() bool { return !o.left.none() && o.Owner == Ref{} && o.inventory == nil }

// prunable reports whether the object is deleted once no application wants it.
func (o *Object) prunable() bool { return o.Ours() && !o.Deleting && !o.keep && !permanent(o.Ref) }

// same reports whether two records are equal in every field that is used.
func (o *Object) same(p *Object) bool {
	return o.UID == p.UID && o.App == p.App && o.labelled == p.labelled && o.Component == p.Component && o.Workload == p.Workload &&
		o.Deleting == p.Deleting && o.applied == p.applied && o.left == p.left && reflect.DeepEqual(o.Summary, p.Summary)
}

func label(u *unstructured.Unstructured, name string) string {
	return metadata(u, "labels", name)
}

func annotation(u *unstructured.Unstructured, name string) string {
	return metadata(u, "annotations", name)
}

// metadata reads one label or annotation without copying all of them.
func metadata(u *unstructured.Unstructured, field, name string) string {
	meta, _ := u.Object["metadata"].(map[string]any)
	all, _ := meta[field].(map[string]any)
	s, _ := all[name].(string)
	return s
}

package workflow

import "github.com/d-aros/d-aros/pkg/model"

// Seen is what the runtimes show of a component.
type Seen struct {
	Component string
	Granted   int // replicas that arbitration gives it
	Versions  []SeenVersion
}

// SeenVersion is one version of a component that the runtime carries out.
type SeenVersion struct {
	Content  model.Digest // model.Version.Content of what it was told to run
	Replicas int
	Ready    int
	Beside   bool // the newer of two
	Done     bool // a finite component that ended well
	Failure  *model.Failure
}

// runs reports whether a component runs in a version as far as it is granted, or,
// of a share, as far as that goes. The failure is given if it is final.
func runs(observed []Seen, spec *model.Application, component string, v model.Version, share *model.Share) (ready bool, failure *model.Failure) {
	if c, ok := spec.Component(component); ok && !c.Shows() {
		return true, nil
	}
	for _, seen := range observed {
		if seen.Component != component {
			continue
		}
		want := seen.Granted
		if share != nil {
			want = share.Of(seen.Granted)
		}
		for _, w := range seen.Versions {
			if w.Content != v.Content || w.Beside != (share != nil) {
				continue
			}
			if w.Failure != nil && w.Failure.Final {
				return false, w.Failure
			}
			return w.Done || w.Ready >= want, nil
		}
		return want == 0, nil
	}
	return false, nil
}

package workflow

import (
	"github.com/d-aros/d-aros/pkg/model"
)

// Seen is how a component fares, as far as the runtimes show it.
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
	Done     bool // a finite component that ended well
	Failure  *model.Failure
}

// fares says whether the component runs in that version as far as it is granted,
// or, of a share, as far as that goes. A failure is given if it is final.
func (p *pass) fares(component string, v model.Version, share *model.Share) (ready bool, failure *model.Failure) {
	if c, ok := p.spec.Component(component); ok && !c.Runs() {
		return true, nil
	}
	for _, seen := range p.turn.Seen {
		if seen.Component != component {
			continue
		}
		want := seen.Granted
		if share != nil {
			want = replicas(*share, seen.Granted)
		}
		for _, w := range seen.Versions {
			if w.Content != v.Content {
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

// replicas is how many of those granted are a share: at least one, unless none
// are granted, and never more than are granted.
func replicas(s model.Share, granted int) int {
	n := s.Replicas
	if s.Weight > 0 {
		n = (granted*s.Weight + 99) / 100
	}
	return min(max(n, 1), granted)
}

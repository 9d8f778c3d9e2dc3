package apply

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// join returns the work on a set: that of an earlier call, if it has not ended or its end is
// not told, else a new one. So there is one at a time for each application.
func (p *pass) join(set *render.Set) *work {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.current[set.App]
	if w != nil && (!w.ended() || w.tells(set)) {
		return w
	}
	fresh := p.add(set)
	if w != nil {
		fresh.deeds = w.achieved()
	}
	p.current[set.App] = fresh
	return fresh
}

// tells reports whether what work came to is what work on a set would come to.
func (w *work) tells(set *render.Set) bool {
	return w.set.Revision != "" && w.set.Revision == set.Revision && !w.stale
}

// await returns when works have ended, or the slice is over.
func (a *Applier) await(works []*work) {
	var over <-chan time.Time
	if a.slice > 0 {
		over = time.After(a.slice)
	}
	for _, w := range works {
		select {
		case <-w.done:
		case <-over:
			return
		}
	}
}

// collect returns what the work on a set came to, once, and why its pass ended early. What work on another set of the
// application came to says nothing of this one, which a later call begins.
func (a *Applier) collect(w *work, set *render.Set) (SetReport, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !w.ended() {
		w.left = true
		return SetReport{App: w.app(), UnderWay: true}, nil
	}
	if w.set != set && !w.tells(set) {
		a.live.Wake()
		return SetReport{App: w.app(), UnderWay: true}, nil
	}
	delete(a.current, w.app())
	w.report.Results = append(w.report.Results, w.deeds...)
	return *w.report, w.err
}

// UnderWay reports whether the work on the set of an application, or of a tenant, goes on.
func (a *Applier) UnderWay(app model.AppID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.current[app]
	return w != nil && !w.ended()
}

// Drifted returns the applications that Live.Drifted returns. What is told of the work on one of
// them says nothing of what is now.
func (a *Applier) Drifted() []model.AppID {
	drifted := a.live.Drifted()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, app := range drifted {
		if w := a.current[app]; w != nil {
			w.stale = true
		}
	}
	return drifted
}

// close ends the work.
func (w *work) close() {
	close(w.done)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left {
		w.live.Wake() // somebody is to ask what it came to
	}
}

func (w *work) ended() bool { return isClosed(w.done) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// achieved returns what was done by work whose end nobody is told, because other work follows.
func (w *work) achieved() []Result {
	return slices.DeleteFunc(slices.Concat(w.report.Results, w.deeds), func(r Result) bool {
		return !slices.Contains([]Action{Created, Configured, Adopted, Corrected, Pruned}, r.Action)
	})
}

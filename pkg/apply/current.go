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

// perWorker is how many applications may be under way for each worker. More would take memory, and all would end later.
const perWorker = 64

// Room reports of each of some applications, or tenants, in their order, whether Apply is to get a set of it now. It is not
// while an earlier one is under way, nor while too many others are that calls do not wait for. A tenant has always room for as
// many as there are workers, so nobody waits for applications of others that make no progress; and what its applications share
// has room, as it comes before them.
func (a *Applier) Room(apps []model.AppID) []bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	all, of := 0, map[string]int{} // under way, by tenant
	count := func(app model.AppID) { all, of[app.Tenant] = all+1, of[app.Tenant]+1 }
	for app, w := range a.current {
		if !w.ended() {
			count(app)
		}
	}
	room := make([]bool, len(apps))
	for i, app := range apps {
		if w := a.current[app]; w != nil { // it goes on, or its end is to be told
			room[i] = w.ended()
			continue
		}
		crowded := a.slice > 0 && all >= perWorker*a.workers && of[app.Tenant] >= a.workers
		if room[i] = app.Name == "" || !crowded; room[i] {
			count(app)
		}
	}
	return room
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

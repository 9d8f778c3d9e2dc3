package sim

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// watched is what one process has seen of components, as far as nothing came between
// that changes what follows from it: a start, a clock that was put, or the other process.
type watched struct {
	version int           // of the branch after the last pass
	skew    time.Duration // of the clock then
	parts   map[part]sight
}

// sight is what was seen of a component that is told the same since.
type sight struct {
	workload model.Digest
	unready  time.Time // since when less of it was ready than told; zero: all of it was
}

// runningStaysTrue: at every pass, an application that is called Running has no critical
// component of which less is ready than it is told to run, for longer than policy allows.
// Only what a process has seen ready before, and told the same, counts: the rest starts.
func (w *World) runningStaysTrue(p *process) {
	now := w.origin.now()
	if p.watched.parts == nil || p.watched.skew != p.skew || p.watched.version != p.loaded {
		p.watched.parts = map[part]sight{}
	}
	p.watched.version, p.watched.skew = w.origin.tip(), p.skew
	seen := map[part]sight{}
	for _, inst := range active(now) {
		for i := range inst.Components {
			s := &inst.Components[i]
			name := part{inst.App, s.Grant.Component}
			shown, ok := p.carrier.seen.Find(inst.App, s.Grant.Component)
			if !ok || shown.Digest != s.Workload || shown.Done || shown.Failure != nil || shown.Replicas == 0 {
				continue
			}
			was, known := p.watched.parts[name]
			switch {
			case shown.Ready >= shown.Replicas && shown.Current:
				seen[name] = sight{workload: shown.Digest}
				continue
			case !known || was.workload != shown.Digest || shown.Ready >= shown.Replicas:
				continue
			case was.unready.IsZero():
				was.unready = w.now
			}
			seen[name] = was
			c, _ := inst.Spec.Component(s.Grant.Component)
			if inst.Phase == model.PhaseRunning && c != nil && c.Critical && w.now.Sub(was.unready) >= model.UnreadyAfter {
				w.violate("Running is true at every pass", "%s#%d is called Running, and of %s %d of %d were ready for %s",
					inst.App, inst.Number, c.Name, shown.Ready, shown.Replicas, w.now.Sub(was.unready))
			}
		}
	}
	p.watched.parts = seen
}

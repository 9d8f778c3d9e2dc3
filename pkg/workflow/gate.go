package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// candidate is a step that is ready to start, or to be taken back.
type candidate struct {
	s    *step
	undo bool
}

// admit starts the candidates that find their lock free and a place: rollbacks
// first, then in the order in which they became ready. A candidate that has to wait
// does not keep others waiting.
func admit(all []*execution, limits Limits) (started bool) {
	held, acting, left := map[string]string{}, 0, leftovers(all, limits.Jobs)
	hold := func(s *step) {
		if s.Lock != "" && holds(s.rec) {
			held[s.Lock] = s.x.run.App.String() + ", step " + s.Name
		}
	}
	var queue []candidate
	for _, x := range all {
		for _, s := range x.steps {
			hold(s)
			if s.acts() {
				acting++
			}
			switch {
			case x.turn.Still:
			case s.rec.Phase == model.StepQueued:
				queue = append(queue, candidate{s, false})
			case s.rec.Undo != nil && s.rec.Undo.Phase == model.StepQueued && x.run.Phase == model.RunRollingBack:
				queue = append(queue, candidate{s, true})
			}
		}
	}
	slices.SortStableFunc(queue, func(x, y candidate) int {
		if x.undo != y.undo {
			if x.undo {
				return -1
			}
			return 1
		}
		return cmp.Or(x.s.rec.Since.Compare(y.s.rec.Since), x.s.x.run.App.Compare(y.s.x.run.App))
	})
	for _, c := range queue {
		if why := c.obstacle(held, left, acting, limits); why != "" {
			if !c.undo && c.s.rec.Phase == model.StepQueued {
				c.s.rec.Message = why
			}
			continue
		}
		started = true
		if c.undo {
			c.s.takeBack()
		} else {
			c.s.attempt()
		}
		hold(c.s)
		if !c.undo && c.s.acts() {
			acting++
		}
	}
	return started
}

// holds reports whether a step has its lock: from its first attempt to its end, and
// while it is taken back.
func holds(rec *model.StepRun) bool {
	on := func(p model.StepPhase) bool { return p == model.StepActive || p == model.StepRetrying }
	return on(rec.Phase) || rec.Undo != nil && on(rec.Undo.Phase)
}

// leftovers returns the jobs that run although their step has ended, by the lock that
// the step held.
func leftovers(all []*execution, jobs []RunningJob) map[string]string {
	if len(jobs) == 0 {
		return nil
	}
	spoken := map[string]bool{} // run and step
	for _, x := range all {
		for _, s := range x.steps {
			if holds(s.rec) {
				spoken[string(x.run.ID)+"/"+s.Name] = true
			}
		}
	}
	left := map[string]string{}
	for _, job := range jobs {
		if parts := strings.SplitN(job.Key, "/", 3); left[job.Lock] == "" && (len(parts) < 3 || !spoken[parts[0]+"/"+parts[1]]) {
			left[job.Lock] = job.Key
		}
	}
	return left
}

// obstacle returns what a candidate waits for, "" if it may start.
func (c candidate) obstacle(held, left map[string]string, acting int, limits Limits) string {
	if holder, taken := held[c.s.Lock]; taken && c.s.Lock != "" {
		return fmt.Sprintf("lock %s is held by %s", c.s.Lock, holder)
	}
	if job := cmp.Or(left[c.s.Lock], left[model.AnyLock]); job != "" && c.s.Lock != "" {
		return fmt.Sprintf("lock %s is free when job %s has ended, which still runs", c.s.Lock, job)
	}
	if c.undo {
		return ""
	}
	if c.s.rec.Phase != model.StepQueued {
		return "it was ended" // by a step that failed when it was to begin
	}
	if c.s.x.run.Phase == model.RunPaused {
		return "the run is paused"
	}
	if !c.s.x.open() {
		return "the run is taken back first"
	}
	if c.s.kind.traits().passive {
		return ""
	}
	if most := flow(c.s.x.spec).Parallelism; most > 0 && c.s.x.steps.acting() >= most {
		return fmt.Sprintf("the workflow takes %d steps at a time", most)
	}
	if limits.Steps > 0 && acting >= limits.Steps {
		return fmt.Sprintf("tenant %s takes %d steps at a time", c.s.x.run.App.Tenant, limits.Steps)
	}
	return ""
}

package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// candidate is a step, or its undoing, that is ready to start.
type candidate struct {
	p     *pass
	s     *step
	index int
	undo  bool
}

// admit starts what is ready and finds its lock free and a place: first what
// takes something back, then by how long it has been ready. Whoever waits for a
// lock or place in vain does not keep others waiting for theirs.
func admit(passes []*pass, limits Limits) (started bool) {
	held, acting, left := map[string]string{}, 0, leftover(passes, limits.Jobs)
	var queue []candidate
	for _, p := range passes {
		for i := range p.steps {
			s := &p.steps[i]
			if s.Lock != "" && holds(s) {
				held[s.Lock] = p.run.App.String() + ", step " + s.Name
			}
			if s.acts() {
				acting++
			}
			switch {
			case s.rec.Phase == model.StepQueued:
				queue = append(queue, candidate{p, s, i, false})
			case s.rec.Undo != nil && s.rec.Undo.Phase == model.StepQueued && p.run.Phase == model.RunRollingBack:
				queue = append(queue, candidate{p, s, i, true})
			}
		}
	}
	slices.SortFunc(queue, func(x, y candidate) int {
		if x.undo != y.undo {
			if x.undo {
				return -1
			}
			return 1
		}
		return cmp.Or(x.s.rec.Since.Compare(y.s.rec.Since), x.p.run.App.Compare(y.p.run.App), cmp.Compare(x.index, y.index))
	})
	for _, c := range queue {
		if why := c.obstacle(held, left, acting, limits); why != "" {
			c.wait(why)
			continue
		}
		started = true
		if c.undo {
			c.p.takeBack(c.s)
		} else {
			c.p.attempt(c.s)
		}
		if c.s.Lock != "" && holds(c.s) {
			held[c.s.Lock] = c.p.run.App.String() + ", step " + c.s.Name
		}
		if !c.undo && c.s.acts() {
			acting++
		}
	}
	return started
}

// holds says whether the step has its lock: from its first attempt to its end,
// and while it is taken back.
func holds(s *step) bool {
	on := func(p model.StepPhase) bool { return p == model.StepActive || p == model.StepRetrying }
	return on(s.rec.Phase) || s.rec.Undo != nil && on(s.rec.Undo.Phase)
}

// leftover names one of the jobs that run although their step has ended, "" if
// there is none.
func leftover(passes []*pass, jobs []string) string {
	if len(jobs) == 0 {
		return ""
	}
	spoken := map[string]bool{} // run and step
	for _, p := range passes {
		for i := range p.steps {
			if s := &p.steps[i]; holds(s) {
				spoken[string(p.run.ID)+"/"+s.Name] = true
			}
		}
	}
	for _, key := range jobs {
		if parts := strings.SplitN(key, "/", 3); len(parts) < 3 || !spoken[parts[0]+"/"+parts[1]] {
			return key
		}
	}
	return ""
}

// obstacle says what a candidate waits for, "" if it may start.
func (c candidate) obstacle(held map[string]string, left string, acting int, limits Limits) string {
	if holder, taken := held[c.s.Lock]; taken && c.s.Lock != "" {
		return fmt.Sprintf("lock %s is held by %s", c.s.Lock, holder)
	}
	if left != "" && c.s.Lock != "" {
		return fmt.Sprintf("lock %s is free when job %s has ended, which still runs", c.s.Lock, left)
	}
	if c.undo {
		return ""
	}
	if c.s.rec.Phase != model.StepQueued {
		return "it was ended" // by a step that failed when it was to begin
	}
	if c.p.run.Phase == model.RunPaused {
		return "the run is paused"
	}
	if !c.p.open() {
		return "the run is taken back first"
	}
	if _, passive := c.s.kind.(passive); passive {
		return ""
	}
	if most := flow(c.p.spec).Parallelism; most > 0 && c.p.acting() >= most {
		return fmt.Sprintf("the workflow takes %d steps at a time", most)
	}
	if limits.Steps > 0 && acting >= limits.Steps {
		return fmt.Sprintf("tenant %s takes %d steps at a time", c.p.run.App.Tenant, limits.Steps)
	}
	return ""
}

func (c candidate) wait(why string) {
	if !c.undo && c.s.rec.Phase == model.StepQueued {
		c.s.rec.Message = why
	}
}

func (p *pass) acting() (n int) {
	for i := range p.steps {
		if p.steps[i].acts() {
			n++
		}
	}
	return n
}

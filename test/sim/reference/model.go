package reference

import (
	"fmt"
	"maps"

	"github.com/d-aros/d-aros/pkg/model"
)

// Model keeps in mind what the page makes the next save of each application depend on.
type Model struct{ apps map[model.AppID]*memory }

// New returns a model of a fleet that has saved nothing yet.
func New() *Model { return &Model{map[model.AppID]*memory{}} }

// Save is one save of the status branch.
type Save struct {
	Before, After *model.Ledger
	Asked         func(model.AppID) []Asked // in the files of the commit that After was decided on
}

// Broken is a rule of the page that a save does not keep.
type Broken struct{ Rule, Detail string }

// memory is what is kept in mind of one application.
type memory struct {
	saves  int // of the application
	broken *Broken

	run    model.Digest            // the present one
	begun  map[string]int          // by step: the save in which it began, in this round
	passes map[string]int          // by step: how many stages it has left that wait for a person
	asked  map[model.Digest]Asked  // requests that name the present run
	ran    map[string]model.Digest // by component: what ran when the present run began

	good    []model.Digest          // releases that succeeded, each once, the latest first
	brought map[string]model.Digest // by component: what the last run that succeeded left
	done    map[string]model.Digest // by step with a memo: what it was given when it succeeded last
	jobs    map[string]int          // by key: how often it was executed
	retry   map[model.Digest]Asked  // requests to have a release tried again
	tried   map[model.Digest]int    // how often a release on hold was
}

// change is what a save does to the run of one application.
type change struct {
	*memory
	was, is *model.Instance // was is empty if there was none
	before  *model.Run      // empty if the run is new
	run     *model.Run
	spec    *model.Application // that the run brings
}

// Judge keeps a save in mind, and returns a rule that it breaks, nil if it breaks none.
func (m *Model) Judge(s Save) *Broken {
	for i := range s.After.Instances {
		is := &s.After.Instances[i]
		was := &model.Instance{App: is.App}
		if known, ok := s.Before.Find(is.App); ok {
			was = known
		}
		if is.Run == nil {
			continue
		}
		mem := m.apps[is.App]
		if mem == nil {
			mem = &memory{done: map[string]model.Digest{}, jobs: map[string]int{}, retry: map[model.Digest]Asked{}, tried: map[model.Digest]int{}}
			m.apps[is.App] = mem
		}
		if c := mem.change(was, is, s.Asked(is.App)); c.spec != nil {
			for _, rule := range rules {
				rule(&c)
			}
			c.remember()
		}
		if mem.broken != nil {
			return mem.broken
		}
	}
	return nil
}

// rules are what a save is judged by.
var rules = []func(*change){
	(*change).begins, (*change).conditions, (*change).attempts, (*change).fast,
	(*change).takesBack, (*change).comesBack, (*change).twoVersions,
	(*change).people, (*change).memos, (*change).holds, (*change).ends,
}

// change puts a save in order.
func (m *memory) change(was, is *model.Instance, asked []Asked) change {
	c := change{memory: m, was: was, is: is, before: was.Run, run: is.Run, spec: specOf(was, is)}
	m.saves++
	if c.before == nil || c.before.ID != c.run.ID {
		c.before = &model.Run{}
	}
	if m.run != c.run.ID {
		c.newRun()
	}
	for _, a := range asked {
		switch {
		case a.Action == model.CommandRetry:
			m.retry[a.ID()] = a
		case a.names(c.run):
			m.asked[a.ID()] = a
		}
	}
	return c
}

// newRun begins to keep a run in mind.
func (c *change) newRun() {
	last := c.was.Run
	same := last != nil && last.Instance == c.run.Instance
	c.ran = map[string]model.Digest{}
	if same {
		c.ran = c.left(last)
	} else {
		c.brought = nil
		if c.spec != nil && c.spec.Lifecycle.Deletion == model.DeletionDeleteData {
			c.good, c.done = nil, map[string]model.Digest{}
		}
	}
	if p := c.is.Previous; p != nil && p.Workflow == nil && (!same || len(c.good) == 0 || c.good[0] != p.Release) {
		c.succeeded(p.Release, contents(p)) // it ran before it had a workflow
		c.ran = maps.Clone(c.brought)
	}
	c.memory.run, c.begun, c.passes, c.asked = c.run.ID, map[string]int{}, map[string]int{}, map[model.Digest]Asked{}
}

// left is what a run leaves when another takes its place: a canary is withdrawn.
func (c *change) left(last *model.Run) map[string]model.Digest {
	ran := map[string]model.Digest{}
	for i := range last.Targets {
		switch t := &last.Targets[i]; {
		case last.Phase == model.RunRollingBack: // it finishes that first
		case t.Next == nil:
			ran[t.Component] = t.Stable.Content
		case c.brought[t.Component] != "":
			ran[t.Component] = c.brought[t.Component]
		}
	}
	return ran
}

// succeeded keeps in mind that a release was brought well.
func (m *memory) succeeded(release model.Digest, brought map[string]model.Digest) {
	good := []model.Digest{release}
	for _, d := range m.good {
		if d != release {
			good = append(good, d)
		}
	}
	m.good, m.brought = good, brought
}

// remember keeps in mind what came of a save.
func (c *change) remember() {
	for i := range c.run.Steps {
		c.rememberStep(&c.run.Steps[i], c.old(i), &c.spec.Workflow.Steps[i])
	}
	if c.run.Phase == model.RunSucceeded && c.before.Phase != model.RunSucceeded {
		c.succeeded(c.run.Spec, stable(c.run.Targets))
		clear(c.begun) // what succeeded is not taken back
	}
}

// breaks notes that the save breaks a rule.
func (c *change) breaks(rule, format string, args ...any) {
	if c.broken == nil {
		c.broken = &Broken{rule, fmt.Sprintf("run %d of %s, %s: ", c.run.Number, c.run.App, c.run.Phase) + fmt.Sprintf(format, args...)}
	}
}

// old is what a step was in the save before, empty if the run is new.
func (c *change) old(step int) *model.StepRun {
	if step < len(c.before.Steps) {
		return &c.before.Steps[step]
	}
	return &model.StepRun{}
}

// specOf is the spec that a run brings, nil if nobody knows it any more.
func specOf(was, is *model.Instance) *model.Application {
	for _, spec := range []*model.Application{is.Spec, is.Previous, was.Spec, was.Previous} {
		if spec != nil && spec.Release == is.Run.Spec && spec.Workflow != nil && len(spec.Workflow.Steps) == len(is.Run.Steps) {
			return spec
		}
	}
	return nil
}

// contents are the versions of the components of a spec that no step runs to their end.
func contents(spec *model.Application) map[string]model.Digest {
	all := map[string]model.Digest{}
	for i := range spec.Components {
		if c := &spec.Components[i]; !jobOf(spec, c.Name) {
			all[c.Name] = c.Content(spec.ID)
		}
	}
	return all
}

// jobOf reports whether a component is the job of a step, or takes one back.
func jobOf(spec *model.Application, component string) bool {
	if spec.Workflow == nil {
		return false
	}
	for i := range spec.Workflow.Steps {
		if s := &spec.Workflow.Steps[i]; s.Component == component || s.Undo == component {
			return true
		}
	}
	return false
}

// stable are the versions that a run leaves, by component.
func stable(targets []model.Target) map[string]model.Digest {
	all := map[string]model.Digest{}
	for i := range targets {
		all[targets[i].Component] = targets[i].Stable.Content
	}
	return all
}

// rolls reports whether a step rolls out components.
func rolls(s *model.Step) bool { return s.Type == "deploy" || staged(s) }

func staged(s *model.Step) bool { return s.Type == "canary" || s.Type == "blue-green" }

// passive reports whether a step waits for people or time.
func passive(s *model.Step) bool { return s.Type == "approval" || s.Type == "wait" }

// components are what a step rolls out: those that it names, else all but the jobs of steps.
func components(spec *model.Application, s *model.Step) []string {
	if len(s.Components) > 0 || !rolls(s) {
		return s.Components
	}
	var names []string
	for i := range spec.Components {
		if !jobOf(spec, spec.Components[i].Name) {
			names = append(names, spec.Components[i].Name)
		}
	}
	return names
}

// on reports whether an attempt is on its way, or the next one is waited for.
func on(p model.StepPhase) bool { return p == model.StepActive || p == model.StepRetrying }

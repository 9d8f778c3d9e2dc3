package story

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// addApplications reads applications that run, ask, or are changed later.
func (s *Story) addApplications(verb string, o *options) {
	priority, size, replicas := o.number("priority", Priority), o.word("size", ""), o.number("x", 1)
	comp := component("main", replicas, model.Resources{})
	if lowest := o.number("min", replicas); lowest != replicas {
		comp.Degrade = &model.Degrade{MinReplicas: lowest}
	}
	comp.Placement = o.placement()
	budget, strategy := o.number("budget", 0), o.word("strategy", s.policy.Strategy)
	if comp.Expect = o.time("expect"); comp.Expect != 0 || o.values["took"] != "" {
		comp.Type = "job"
	}
	began, took, rack := o.time("began"), o.word("took", ""), o.word("rack", "")
	waited := o.time("waited")
	degradation, step := o.word("degradation", "true") == "true", o.word("workflow", "")
	for _, name := range o.names {
		id, err := model.ParseAppID(name)
		o.fail(err)
		app := model.Application{ID: id, Priority: priority, Desired: "running", Budget: int64(budget) * 1e6, Policy: new(s.policy)}
		app.Policy.Strategy, app.Policy.Priority = strategy, Priority
		app.Policy.Degradation = app.Policy.Degradation && degradation
		if step != "" {
			app.Workflow = &model.Workflow{Steps: []model.Step{{Name: "bring", Type: step}}}
		}
		if size != "" {
			comp.Requests, err = parseAmount(size)
			o.fail(err)
			app.Components = []model.Component{comp}
		}
		s.began[id], s.took[id], s.rack[id] = began, took, rack
		switch verb {
		case "runs":
			s.running = append(s.running, id)
		case "asks":
			s.Asking = append(s.Asking, id)
		}
		s.Now = s.Now.Add(time.Second)
		if size == "" {
			s.app = &app // its components follow
			return
		}
		s.Declare(app)
		s.wait(id, waited)
	}
}

// wait lets an application wait since before the story.
func (s *Story) wait(id model.AppID, waited time.Duration) {
	if inst, ok := s.Ledger.Find(id); ok && waited > 0 {
		inst.Phase, inst.Since = model.PhaseAdmitted, world.Start.Add(-waited)
	}
}

func component(name string, replicas int, requests model.Resources) model.Component {
	return model.Component{
		Name: name, Type: "worker", Runtime: "container", OS: "linux", Replicas: replicas, Critical: true,
		Requests: requests, QoS: "guaranteed",
	}
}

// component reads a component of the application above: "web 3 x 500m min=1".
func (s *Story) component(words []string) error {
	if s.app == nil || len(words) < 4 || words[2] != "x" {
		return errors.New("a component is written like this, below its application: web 3 x 500m")
	}
	replicas, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	requests, err := parseAmount(words[3])
	if err != nil {
		return err
	}
	o := read(words[4:])
	c := component(words[0], replicas, requests)
	c.Critical = !o.is("optional")
	if lowest, qos := o.number("min", replicas), o.word("qos", ""); lowest != replicas || qos != "" {
		c.Degrade = &model.Degrade{MinReplicas: lowest, QoS: qos}
	}
	if after := o.word("after", ""); after != "" {
		c.DependsOn = []string{after}
	}
	if n := o.number("spread", 0); n > 0 {
		c.Placement.Spread = &model.Spread{Over: "rack", Min: n}
	}
	at := o.placement()
	c.Placement.Pool, c.Placement.Flavours, c.Placement.Together = at.Pool, at.Flavours, at.Together
	if c.Expect = o.time("expect"); c.Expect != 0 {
		c.Type = "job"
	}
	s.app.Components = append(s.app.Components, c)
	return o.rest()
}

// close ends the application whose components were read, and lets run what is to.
func (s *Story) close() error {
	if s.app != nil {
		s.Declare(*s.app)
		s.app = nil
	}
	for _, id := range s.running {
		if len(s.Fleet.Platform.Pools) == 0 {
			return fmt.Errorf("%s runs, and there is no pool", id)
		}
		app := *s.App(id)
		inst, _ := s.Ledger.Find(id)
		inst.Phase, inst.Reason, inst.Spec, inst.Since = model.PhaseRunning, model.ReasonReady, &app, s.Now
		for i := range app.Components {
			c := app.Components[i].In(0)
			g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: c.Placement.Pool}
			if g.Pool == "" {
				g.Pool = s.Fleet.Platform.Pools[0].Name
			}
			if c.Gathers() && s.rack[id] != "" {
				g.Domains = []string{s.rack[id]}
			}
			inst.Components = append(inst.Components, model.ComponentState{
				Grant: g, Run: g.Replicas, State: model.StateReady, Spec: app.Components[i].Content(id), Since: s.since(id),
			})
		}
		if err := s.ran(inst); err != nil {
			return err
		}
	}
	s.running = nil
	return nil
}

// ran notes the earlier runs of an application.
func (s *Story) ran(inst *model.Instance) error {
	for word := range strings.SplitSeq(s.took[inst.App], ",") {
		if word == "" {
			continue
		}
		took, err := time.ParseDuration(word)
		if err != nil {
			return err
		}
		for i := range inst.Spec.Components {
			inst.NoteRuntime(&inst.Spec.Components[i], took)
		}
	}
	return nil
}

// since is when what runs of an application began.
func (s *Story) since(id model.AppID) time.Time {
	if began := s.began[id]; began > 0 {
		return world.Start.Add(-began)
	}
	return s.Now
}

// fail ends applications for good: they cannot run with the spec that Git holds.
func (s *Story) fail(o *options) {
	for _, name := range o.names {
		id, err := model.ParseAppID(name)
		o.fail(err)
		inst, ok := s.Ledger.Find(id)
		if !ok {
			o.fail(fmt.Errorf("%s is not declared", id))
			continue
		}
		spec := *s.App(id)
		inst.Phase, inst.Reason, inst.Spec = model.PhaseTerminated, model.ReasonUnrecoverable, &spec
	}
}

// switching lets the workflow of an application that runs switch between two
// versions.
func (s *Story) switching(o *options, holdsBoth, ended bool) {
	for _, name := range o.names {
		id, err := model.ParseAppID(name)
		o.fail(err)
		inst, ok := s.Ledger.Find(id)
		if !ok || inst.Spec == nil {
			o.fail(fmt.Errorf("%s does not run", id))
			continue
		}
		inst.Run = &model.Run{App: id, Spec: inst.Spec.Release, Phase: model.RunRunning}
		for i := range inst.Components {
			g := &inst.Components[i].Grant
			if holdsBoth {
				g.Surge = g.Replicas
			}
			inst.Run.Base = append(inst.Run.Base, model.Target{Component: g.Component, Stable: model.Version{Content: "before"}})
		}
		if inst.Run.Targets = inst.Run.Base; ended {
			s.EndRun(id)
		}
	}
}

// notReady takes readiness from a component of an application that runs.
func (s *Story) notReady(o *options) {
	if len(o.names) != 2 {
		o.fail(errors.New("write notready a/shop db"))
		return
	}
	id, err := model.ParseAppID(o.names[0])
	o.fail(err)
	inst, ok := s.Ledger.Find(id)
	if !ok {
		o.fail(fmt.Errorf("%s is not declared", id))
		return
	}
	if state, ok := inst.Component(o.names[1]); ok {
		state.State = model.StateStarting
	}
}

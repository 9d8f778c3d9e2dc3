//go:build linux

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/d-aros/d-aros/pkg/durable"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// followed is the plan in force.
type followed struct {
	hostplan.Plan
	known    bool // there is one; before that nothing is stopped
	problem  string
	of       fs.FileInfo // the file that was looked at last, nil: there was none
	profiles map[string]model.QoSProfile
}

// follow takes the plan of the pool if it is new and good. Otherwise what was in force stays so,
// also over a restart of the agent, and while the directory is away.
func (s *Supervisor) follow() {
	f := &s.plan
	file := filepath.Join(s.cfg.Host.Directory, s.cfg.Host.Pool, planFile)
	of, err := os.Lstat(file)
	if err == nil && f.of != nil && os.SameFile(of, f.of) && of.Size() == f.of.Size() && of.ModTime().Equal(f.of.ModTime()) {
		return
	}
	if err == nil {
		err = s.load(file)
	}
	if f.of = of; err == nil {
		return
	}
	if !f.known {
		if last, ok := s.kept(); ok {
			s.adoptPlan(last)
		}
	}
	problem := err.Error()
	if errors.Is(err, fs.ErrNotExist) && !f.known {
		problem = "" // the reconciler has not written one yet
	}
	if problem != f.problem && problem != "" {
		s.cfg.Tell("the plan is not in force", "file", file, "error", problem)
	}
	f.problem = problem
}

// load takes the plan of a file. A copy of it is kept before it has an effect.
func (s *Supervisor) load(file string) error {
	data, err := readFile(file, hostplan.MaxDocument)
	if err != nil {
		return err
	}
	plan, err := s.check(data)
	if err != nil {
		return err
	}
	if err := durable.Write(s.cfg.StateDir, planCopy, data, 0o600); err != nil {
		return fmt.Errorf("keep a copy: %w", err)
	}
	reached()
	s.adoptPlan(plan)
	return nil
}

// kept returns the last good plan of the pool, false if there is none.
func (s *Supervisor) kept() (plan hostplan.Plan, ok bool) {
	data, err := readFile(filepath.Join(s.cfg.StateDir, planCopy), hostplan.MaxDocument)
	if err == nil {
		plan, err = hostplan.ParsePlan(data)
	}
	return plan, err == nil && plan.Pool == s.cfg.Host.Pool
}

// check returns a plan that this host may take.
func (s *Supervisor) check(data []byte) (hostplan.Plan, error) {
	plan, err := hostplan.ParsePlan(data)
	if err != nil {
		return plan, err
	}
	before, known := s.plan.Plan, s.plan.known
	if !known {
		before, known = s.kept()
	}
	switch {
	case plan.Pool != s.cfg.Host.Pool:
		return plan, fmt.Errorf("it is of pool %s", plan.Pool)
	case known && before.Fleet != plan.Fleet:
		return plan, fmt.Errorf("it is of fleet %q, and this host runs what fleet %q gave it", plan.Fleet, before.Fleet)
	case known && before.Generation > plan.Generation:
		return plan, fmt.Errorf("it is of generation %d, and this host has carried out %d", plan.Generation, before.Generation)
	}
	return plan, nil
}

// adoptPlan has a plan be in force: each replica of this host is told what is wanted of it.
func (s *Supervisor) adoptPlan(plan hostplan.Plan) {
	s.plan.Plan, s.plan.known, s.plan.problem = plan, true, ""
	s.plan.profiles = map[string]model.QoSProfile{}
	for _, p := range slices.Concat(model.BuiltinQoSProfiles(), plan.Profiles) {
		s.plan.profiles[p.Name] = p
	}
	for _, p := range s.slots {
		p.wanted = nil
	}
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		id := w.Program.Identity()
		for n := range w.On(s.cfg.Host.Name) {
			at := slot{w.Key, n}
			if s.slots[at] == nil {
				s.slots[at] = &process{record: record{slot: at}, handle: -1}
			}
			s.slots[at].wanted, s.slots[at].want = w, id
		}
	}
	s.cfg.Tell("plan in force", "generation", plan.Generation)
}

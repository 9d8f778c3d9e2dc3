package runtime

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Part is a part of an application that is to be there, in a runtime that carries programs one by one.
type Part struct {
	model.PartKey
	Keep     bool               // it stays as it is, and is not begun; the rest is not set where nothing is known of it
	Spec     *model.Application // that has Declared
	Declared *model.Component
	Grant    model.Grant
	Inputs   []model.Value
	Digest   model.Digest // model.WorkloadDigest
	Lock     string       // that the step holds, "": none
	Replicas int
}

// Parts lists what an assignment wants of programs of a runtime.
func (a *Assignment) Parts(runtime string) (all []Part) {
	if a.Ends() || a.Instance == nil || a.Instance.Spec == nil {
		return nil
	}
	for i := range a.Components {
		c := &a.Components[i]
		if !c.Runs() {
			continue
		}
		p := Part{PartKey: model.PartKey{App: a.App, Component: c.Name}, Keep: c.Hold, Spec: a.specOf(c), Declared: c.Component, Grant: c.State.Grant.AsTold(), Digest: c.State.Workload}
		if c.Want == Running {
			p.Replicas = c.State.Run
		}
		all = append(all, p)
		if b := c.State.Beside; b != nil {
			newer, ok := a.Instance.Spec.Component(c.Name)
			p.Beside, p.Keep = true, !ok || newer.Content(a.App) != b.Spec
			p.Spec, p.Declared, p.Digest, p.Replicas = a.Instance.Spec, newer, b.Workload, b.Run
			all = append(all, p)
		}
	}
	for i := range a.Jobs {
		all = append(all, a.part(&a.Jobs[i], runtime))
	}
	return all
}

// specOf returns the spec that has a component in the version that runs.
func (a *Assignment) specOf(c *Component) *model.Application {
	for _, spec := range a.Instance.Specs() {
		if in, ok := spec.Component(c.Name); ok && in.Content(a.App) == c.Content(a.App) {
			return spec
		}
	}
	return a.Instance.Spec
}

// Released returns the spec of a release that the application has, nil if it has none of it.
func (a *Assignment) Released(release model.Digest) *model.Application {
	return a.Instance.Released(release)
}

// part returns the job of a step. It runs in the pool of its component, or else in the first pool of the runtime.
func (a *Assignment) part(j *Job, runtime string) Part {
	p := Part{PartKey: model.PartKey{App: a.App, Component: j.Component, Job: j.Key}, Keep: true, Inputs: j.Inputs, Lock: j.Lock}
	spec := a.Released(j.Spec)
	if spec == nil {
		return p
	}
	c, ok := spec.Component(j.Component)
	if !ok || c.Runtime != runtime {
		return p
	}
	p.Spec, p.Declared, p.Replicas, p.Keep = spec, c, max(1, c.Replicas), j.Keep
	p.Grant = model.Grant{Component: c.Name, Requests: c.Requests, QoS: c.QoS, Pool: c.Placement.Pool}
	if s, ok := a.Instance.Component(c.Name); ok && s.Grant.Pool != "" {
		p.Grant.Pool = s.Grant.Pool
	}
	if p.Grant.Pool == "" {
		if i := slices.IndexFunc(a.Platform.Pools, func(pool model.PoolSpec) bool { return slices.Contains(pool.Runtimes, runtime) }); i >= 0 {
			p.Grant.Pool = a.Platform.Pools[i].Name
		}
	}
	p.Digest = model.WorkloadDigest(c, p.Grant, p.Replicas)
	return p
}

// NameOf names a part among those of its tenant, as hosts name files and programs. Of the key of a step it has so many bytes of a digest.
func NameOf(k model.PartKey, digest int) string {
	name := k.App.Name + "." + k.Component
	switch {
	case k.Job != "":
		sum := sha256.Sum256([]byte(k.Job))
		return fmt.Sprintf("%s.%x", name, sum[:digest])
	case k.Beside:
		return name + ".beside"
	}
	return name
}

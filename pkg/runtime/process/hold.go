package process

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// wanted is a workload that is to be in a plan.
type wanted struct {
	hostplan.Workload
	pool   string
	keep   bool // it stays as it is there, and is not begun
	spread *model.Spread
	key    string // label of hosts whose values are the domains of the pool
}

// hold makes the plans hold what an assignment says.
func (r *Runtime) hold(pools []*pool, a *runtime.Assignment) (o runtime.Outcome) {
	o.App = a.App
	did := func(k hostplan.Key, action runtime.Action, message string) {
		o.Results = append(o.Results, runtime.Result{Object: "process " + k.String(), Component: k.Component, Action: action, Message: message})
	}
	stay := map[hostplan.Key]string{} // by key, the pool in which it stays; "": where it is
	for _, w := range r.wanted(pools, a, &o) {
		if w.keep {
			stay[w.Key] = ""
			continue
		}
		if w.pool == "" { // nothing is granted: it is stopped where it is
			if w.pool = home(pools, w.Key); w.pool == "" {
				continue
			}
			w.Replicas = 0
		}
		p, ok := find(pools, w.pool)
		if !ok {
			stay[w.Key] = ""
			did(w.Key, runtime.Failed, fmt.Sprintf("%s: no host of pool %s has reported in %s yet", w.Key, w.pool, r.o.Dir))
			continue
		}
		stay[w.Key] = w.pool
		p.profile(a.Platform, w.QoS)
		if action, changed := r.put(p, a.Platform, w); changed {
			did(w.Key, action, "")
		}
	}
	for _, p := range pools {
		p.Workloads = slices.DeleteFunc(p.Workloads, func(w hostplan.Workload) bool {
			at, ok := stay[w.Key]
			gone := w.App == a.App && (!ok || at != "" && at != p.Pool)
			if gone {
				p.dirty = true
				did(w.Key, runtime.Pruned, "")
			}
			return gone
		})
	}
	return o
}

// home returns the pool that has a workload, "" if none does.
func home(pools []*pool, k hostplan.Key) string {
	for _, p := range pools {
		if _, ok := p.Find(k); ok {
			return p.Pool
		}
	}
	return ""
}

// put brings a workload into the plan of a pool, with hosts for its replicas.
func (r *Runtime) put(p *pool, platform *model.Platform, w wanted) (runtime.Action, bool) {
	at, there := p.Find(w.Key)
	if there {
		w.Hosts = p.Workloads[at].Hosts
	}
	w.Hosts = p.place(platform, &w)
	if !there {
		p.Workloads, p.dirty = slices.Insert(p.Workloads, at, w.Workload), true
		return r.restores(p, w.Key, runtime.Created), true
	}
	if reflect.DeepEqual(p.Workloads[at], w.Workload) {
		return "", false
	}
	was := p.Workloads[at]
	p.Workloads[at], p.dirty = w.Workload, true
	if last, ok := r.last(p.Pool, w.Key); ok && !reflect.DeepEqual(last, was) {
		return runtime.Corrected, true
	}
	return runtime.Configured, true
}

// restores returns the action for a workload that is not in the plan: somebody has taken it
// out if this process had put it in.
func (r *Runtime) restores(p *pool, k hostplan.Key, otherwise runtime.Action) runtime.Action {
	if _, ok := r.last(p.Pool, k); ok {
		return runtime.Corrected
	}
	return otherwise
}

// last returns a workload as this process wrote it last.
func (r *Runtime) last(pool string, k hostplan.Key) (hostplan.Workload, bool) {
	plan := r.wrote[pool]
	i, ok := plan.Find(k)
	if !ok {
		return hostplan.Workload{}, false
	}
	return plan.Workloads[i], true
}

// profile adds a QoS profile of the platform to those that the hosts know.
func (p *pool) profile(platform *model.Platform, name string) {
	i := slices.IndexFunc(platform.Profiles, func(q model.QoSProfile) bool { return q.Name == name })
	if i < 0 || slices.Contains(model.BuiltinQoSProfiles(), platform.Profiles[i]) {
		return
	}
	at, there := slices.BinarySearchFunc(p.Profiles, name, func(q model.QoSProfile, name string) int {
		return strings.Compare(q.Name, name)
	})
	switch {
	case !there:
		p.Profiles, p.dirty = slices.Insert(p.Profiles, at, platform.Profiles[i]), true
	case p.Profiles[at] != platform.Profiles[i]:
		p.Profiles[at], p.dirty = platform.Profiles[i], true
	}
}

// wanted lists the workloads of an assignment.
func (r *Runtime) wanted(pools []*pool, a *runtime.Assignment, o *runtime.Outcome) (all []wanted) {
	if a.Ends() || a.Instance == nil || a.Instance.Spec == nil {
		return nil
	}
	add := func(k hostplan.Key, w wanted, err error) {
		if err != nil {
			o.Results = append(o.Results, runtime.Result{
				Object: "process " + k.String(), Component: k.Component, Action: runtime.Failed, Reason: model.OutcomeInvalid, Message: err.Error(),
			})
			w = wanted{keep: true}
		}
		w.Key = k
		all = append(all, w)
	}
	for i := range a.Components {
		c := &a.Components[i]
		k := hostplan.Key{App: a.App, Component: c.Name}
		switch {
		case !c.Runs():
			continue
		case c.Hold:
			add(k, wanted{keep: true}, nil)
		default:
			n := 0
			if c.Want == runtime.Running {
				n = c.State.Run
			}
			w, err := workload(a, c.Component, c.State.Grant, n)
			w.Digest = c.State.Workload
			add(k, w, err)
		}
		if b := c.State.Beside; b != nil {
			k.Beside = true
			newer, ok := a.Instance.Spec.Component(c.Name)
			if !ok || newer.Content(a.App) != b.Spec {
				add(k, wanted{keep: true}, nil)
				continue
			}
			w, err := workload(a, newer, c.State.Grant, b.Run)
			w.Digest = b.Workload
			add(k, w, err)
		}
	}
	for i := range a.Jobs {
		j := &a.Jobs[i]
		k := hostplan.Key{App: a.App, Component: j.Component, Job: j.Key}
		spec := a.Released(j.Spec)
		if j.Keep || spec == nil {
			add(k, wanted{keep: true}, nil)
			continue
		}
		c, ok := spec.Component(j.Component)
		if !ok || r.Carries(c, nil) != nil {
			continue
		}
		w, err := job(a, c, j, pools)
		add(k, w, err)
	}
	return all
}

// job is the workload of a step.
func job(a *runtime.Assignment, c *model.Component, j *runtime.Job, pools []*pool) (wanted, error) {
	grant := model.Grant{Component: c.Name, Requests: c.Requests, QoS: c.QoS}
	if s, ok := a.Instance.Component(c.Name); ok && s.Grant.Replicas > 0 {
		grant = s.Grant
	}
	if grant.Pool == "" {
		grant.Pool = c.Placement.Pool
	}
	for i := 0; grant.Pool == "" && i < len(a.Platform.Pools); i++ {
		p := &a.Platform.Pools[i]
		if _, here := find(pools, p.Name); here && slices.Contains(p.Runtimes, "process") {
			grant.Pool = p.Name
		}
	}
	n := max(1, c.Replicas)
	w, err := workload(a, c, grant, n)
	w.Digest, w.Lock = model.WorkloadDigest(c, grant, n), j.Lock
	for _, v := range j.Inputs {
		if w.Program.Env == nil {
			w.Program.Env = map[string]string{}
		}
		w.Program.Env[input(v.Name)] = v.Value
	}
	return w, err
}

// workload is a component with replicas, as a workload.
func workload(a *runtime.Assignment, c *model.Component, grant model.Grant, replicas int) (w wanted, err error) {
	grant = grant.AsTold()
	w = wanted{pool: grant.Pool, spread: c.Placement.Spread}
	if spec, ok := model.Find(a.Platform.Pools, grant.Pool); ok {
		w.key = spec.TopologyKey
	}
	w.Replicas, w.QoS, w.Priority = replicas, grant.QoS, a.Instance.Spec.Priority
	if w.QoS == "" {
		w.QoS = c.QoS
	}
	w.Requests = model.Resources{CPU: grant.Requests.CPU, Memory: grant.Requests.Memory}
	w.Program, err = program(a.Instance.Spec, c, grant)
	return w, err
}

package process

import (
	"cmp"
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
	spread *model.Spread
	key    string // label of hosts whose values are the domains of the pool
}

// hold makes the plans hold what an assignment says.
func (r *Runtime) hold(pools []*pool, a *runtime.Assignment) (o runtime.Outcome) {
	o.App = a.App
	did := func(k hostplan.Key, action runtime.Action, reason model.Reason, message string) {
		o.Results = append(o.Results, runtime.Result{Object: "process " + k.String(), Component: k.Component, Action: action, Reason: reason, Message: message})
	}
	stay := map[hostplan.Key]string{} // by key, the pool in which it stays; "": where it is
	for _, part := range a.Parts("process") {
		k := part.PartKey
		if stay[k] = ""; part.Keep {
			continue
		}
		w, err := workload(a, &part, pools)
		if err != nil {
			did(k, runtime.Failed, model.OutcomeInvalid, err.Error())
			continue
		}
		if w.pool == "" { // nothing is granted: it is stopped where it is
			if w.pool = home(pools, k); w.pool == "" {
				continue
			}
			w.Replicas = 0
		}
		p, ok := find(pools, w.pool)
		if !ok {
			did(k, runtime.Failed, "", fmt.Sprintf("%s: no host of pool %s has reported in %s yet", k, w.pool, r.o.Dir))
			continue
		}
		stay[k] = w.pool
		p.profile(a.Platform, w.QoS)
		if action, changed := r.put(p, a.Platform, w); changed {
			did(k, action, "", "")
		}
	}
	for _, p := range pools {
		p.Workloads = slices.DeleteFunc(p.Workloads, func(w hostplan.Workload) bool {
			at, ok := stay[w.Key]
			gone := w.App == a.App && (!ok || at != "" && at != p.Pool)
			if gone {
				p.dirty = true
				did(w.Key, runtime.Pruned, "", "")
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
		if _, ok := r.last(p.Pool, w.Key); ok { // somebody has taken it out
			return runtime.Corrected, true
		}
		return runtime.Created, true
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

// workload returns a part as a workload.
func workload(a *runtime.Assignment, part *runtime.Part, pools []*pool) (w wanted, err error) {
	c, grant := part.Declared, part.Grant
	w = wanted{spread: c.Placement.Spread}
	w.Key, w.Digest, w.Lock, w.Replicas, w.Priority = part.PartKey, part.Digest, part.Lock, part.Replicas, a.Instance.Spec.Priority
	if part.Job != "" {
		grant = jobGrant(a, c, pools)
		w.Digest = model.WorkloadDigest(c, grant, part.Replicas)
	}
	grant = grant.AsTold()
	w.pool = grant.Pool
	if spec, ok := model.Find(a.Platform.Pools, w.pool); ok {
		w.key = spec.TopologyKey
	}
	w.QoS = cmp.Or(grant.QoS, c.QoS)
	w.Requests = model.Resources{CPU: grant.Requests.CPU, Memory: grant.Requests.Memory}
	w.Program, err = program(a.Instance.Spec, c, grant)
	for _, v := range part.Inputs {
		if w.Program.Env == nil {
			w.Program.Env = map[string]string{}
		}
		w.Program.Env[v.Variable()] = v.Value
	}
	return w, err
}

// jobGrant returns what the job of a step has: what its component is granted, else what that
// requests, in the first pool with hosts.
func jobGrant(a *runtime.Assignment, c *model.Component, pools []*pool) model.Grant {
	grant := model.Grant{Component: c.Name, Requests: c.Requests, QoS: c.QoS}
	if s, ok := a.Instance.Component(c.Name); ok && s.Grant.Replicas > 0 {
		grant = s.Grant
	}
	grant.Pool = cmp.Or(grant.Pool, c.Placement.Pool)
	for i := 0; grant.Pool == "" && i < len(a.Platform.Pools); i++ {
		p := &a.Platform.Pools[i]
		if _, here := find(pools, p.Name); here && slices.Contains(p.Runtimes, "process") {
			grant.Pool = p.Name
		}
	}
	return grant
}

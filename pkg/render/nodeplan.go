package render

import (
	"cmp"
	"math"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/render/component"
)

// NodePlans returns for every pool, by name, the document of [qos.Encode] with what its nodes
// are to keep in force for workloads. It follows from what was granted and reserved, and
// promises that are equal to those of the ledger's plans give their bytes, so that the generation
// of a plan is the save of the ledger that changed it.
// They do not depend on the time or on what nodes there are.
func NodePlans(ledger *model.Ledger, prefix string) map[string][]byte {
	if ledger.Platform == nil {
		return nil
	}
	profiles := map[string]model.QoSProfile{}
	for _, p := range append(model.BuiltinQoSProfiles(), ledger.Platform.Profiles...) {
		profiles[p.Name] = p
	}
	plans := map[string]*nodePlan{}
	for i := range ledger.Platform.Pools {
		name := ledger.Platform.Pools[i].Name
		plans[name] = &nodePlan{profiles: profiles, prefix: prefix}
	}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if !inst.HasObjects() || inst.SpecUnknown() {
			continue
		}
		for j := range inst.Components {
			state := &inst.Components[j]
			if plan := plans[state.Grant.Pool]; plan != nil && state.Grant.Replicas > 0 {
				plan.add(inst, state)
			}
		}
	}
	for _, r := range reservations(ledger) {
		if plan := plans[r.Pool]; plan != nil {
			plan.reserve(r)
		}
	}
	documents := make(map[string][]byte, len(plans))
	for pool, plan := range plans {
		whole := plan.whole()
		whole.Ledger, whole.Generation = ledger.Identity.ID, ledger.Identity.Sequence
		documents[pool] = qos.EncodeAfter(ledger.Plans[pool], whole)
	}
	return documents
}

// reservations lists those of applications, then those of tenants, then those of units:
// what is kept for an application counts first for what it has.
func reservations(ledger *model.Ledger) []model.Reservation {
	all := slices.Clone(ledger.Platform.Reservations)
	for i := range ledger.Tenants {
		all = append(all, ledger.Tenants[i].Reservations...)
	}
	sort := func(r *model.Reservation) int {
		switch {
		case r.System != "":
			return 2
		case r.App == model.AppID{}:
			return 1
		}
		return 0
	}
	slices.SortFunc(all, func(a, b model.Reservation) int {
		return cmp.Or(cmp.Compare(sort(&a), sort(&b)), a.App.Compare(b.App), cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// nodePlan is the plan of a pool, while it is put together.
type nodePlan struct {
	profiles map[string]model.QoSProfile
	prefix   string
	holders  []*holder
}

// holder is a workload with what reservations are told by.
type holder struct {
	qos.Workload
	app      model.AppID
	replicas int
	own      model.Resources // reserved by its profile, and not counted in a reservation yet
}

// controllers are the kinds of objects that make the pods of components, by type.
var controllers = map[string]string{
	"webservice": "Deployment", "worker": "Deployment", "store": "StatefulSet", "daemon": "DaemonSet", "job": "Job", "cron": "CronJob",
}

// add adds a component whose pods a cluster runs. Of raw objects and kustomizations
// nobody knows which container is the component.
func (p *nodePlan) add(inst *model.Instance, state *model.ComponentState) {
	spec := inst.Spec
	c, ok := spec.Component(state.Grant.Component)
	if !ok && inst.Previous != nil {
		spec = inst.Previous
		c, ok = spec.Component(state.Grant.Component)
	}
	if !ok || !carried(c) || controllers[c.Type] == "" || c.OS == "windows" {
		return
	}
	grant := state.Grant.AsTold()
	name := ObjectName(inst.App, c.Name)
	pods := qos.Pods{Namespace: Namespace(p.prefix, inst.App, spec.Policy.Namespace), Kind: controllers[c.Type], Names: []string{name}, Container: c.Name}
	if pods.Kind == "Deployment" { // whether or not two versions run now
		pods.Names = append(pods.Names, nextName(name))
	}
	limits := component.Limits(c, grant)
	w := qos.Workload{
		Name: inst.App.String() + "/" + c.Name, Selector: pods, Source: spec.Commit, Profile: p.profile(cmp.Or(grant.QoS, c.QoS)), Priority: spec.Priority,
		Request: model.Resources{CPU: grant.Requests.CPU, Memory: grant.Requests.Memory}, Limit: model.Resources{CPU: limits.CPU, Memory: limits.Memory},
	}
	if qos.Reserves(w.Profile) {
		w.Reserved = w.Request
	}
	p.holders = append(p.holders, &holder{w, inst.App, grant.Replicas + grant.Surge, w.Reserved})
}

// profile returns the profile of a name, or burstable if the platform has none any more.
func (p *nodePlan) profile(name string) model.QoSProfile {
	if profile, ok := p.profiles[name]; ok {
		return profile
	}
	return p.profiles[model.Burstable]
}

// reserve gives the holders of a reservation their part of it: what their profiles reserve
// comes first, and what is left is divided in proportion to the rest of what they request. A
// unit of the system has the whole amount, on each node. What is sent, and what is done with disks, is of each pod.
func (p *nodePlan) reserve(r model.Reservation) {
	amount := model.Resources{CPU: r.Amount.CPU, Memory: r.Amount.Memory}
	ofEach := func(amount model.Resources) model.Resources {
		for name, n := range map[string]int64{model.NetworkResource: int64(r.Network), model.DiskResource: int64(r.Disk)} {
			if n > amount.Get(name) {
				amount = amount.With(name, n)
			}
		}
		return amount
	}
	if r.System != "" {
		p.holders = append(p.holders, &holder{Workload: qos.Workload{
			Name: "system/" + r.System, Selector: qos.Unit(r.System), Profile: p.profile(model.GuaranteedPro), Priority: math.MaxInt32,
			Request: amount, Reserved: ofEach(amount),
		}})
		return
	}
	var own []*holder
	for _, h := range p.holders {
		if h.app == r.App || r.App == (model.AppID{}) && h.app.Tenant == r.Tenant {
			h.Reserved = ofEach(h.Reserved)
			own = append(own, h)
		}
	}
	for _, name := range []string{"cpu", "memory"} {
		left, open := amount.Get(name), int64(0)
		if left == 0 {
			continue
		}
		for _, h := range own {
			left -= h.own.Times(h.replicas).Get(name)
			open += h.Request.Sub(h.Reserved).Times(h.replicas).Get(name)
			h.own = h.own.With(name, 0)
		}
		for _, h := range own {
			if left > 0 {
				part := qos.Part(h.Request.Get(name)-h.Reserved.Get(name), min(left, open), open)
				h.Reserved = h.Reserved.With(name, h.Reserved.Get(name)+part)
			}
		}
	}
}

// whole returns the plan, by the names of its workloads. Two reservations for one unit are
// one promise.
func (p *nodePlan) whole() (plan qos.Plan) {
	slices.SortStableFunc(p.holders, func(a, b *holder) int { return cmp.Compare(a.Name, b.Name) })
	plan.Workloads = make([]qos.Workload, 0, len(p.holders))
	for i := range p.holders {
		w := p.holders[i].Workload
		if n := len(plan.Workloads); n > 0 && plan.Workloads[n-1].Name == w.Name {
			last := &plan.Workloads[n-1]
			last.Request, last.Reserved = last.Request.Add(w.Request), last.Reserved.Add(w.Reserved)
			continue
		}
		plan.Workloads = append(plan.Workloads, w)
	}
	return plan
}

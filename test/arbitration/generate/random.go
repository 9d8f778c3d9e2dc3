package generate

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// Shape bounds a random world.
type Shape struct {
	Pools, Tenants, Applications int
	Groups                       bool
	Memory, Devices              bool // beside cpu
	Bands                        bool // priorities of all bands, else one band
	Ladders                      bool // applications that can be degraded, of several components
	Preemption                   model.Preemption
}

// Everything is a shape that has all there is.
func Everything(tenants, applications int) Shape {
	return Shape{Pools: 2, Tenants: tenants, Applications: applications, Groups: true, Memory: true, Devices: true,
		Bands: true, Ladders: true, Preemption: "any"}
}

// Random returns a world of a shape in which nothing runs yet. Amounts are small
// whole numbers, so that ties are common.
func Random(rng *rand.Rand, s Shape) *world.World {
	policy := Policy(s.Preemption)
	w := world.New(model.Platform{Name: "random", Policy: policy, Bands: Bands})
	for i := range s.Pools {
		w.AddPool(model.Pool{Name: fmt.Sprintf("pool-%d", i), Nodes: 4, Capacity: s.capacity(rng)})
	}
	for i := range s.Tenants {
		w.Fleet.Tenants = append(w.Fleet.Tenants, s.tenant(rng, i, policy))
	}
	if s.Groups {
		w.Fleet.Platform.Groups = groups(rng, w.Fleet.Tenants)
	}
	for i := range s.Applications {
		w.Declare(s.Application(rng, fmt.Sprintf("app-%03d", i), &policy))
		w.Now = w.Now.Add(time.Duration(rng.IntN(2)) * time.Second)
	}
	return w
}

func (s Shape) capacity(rng *rand.Rand) model.Resources {
	r := model.Resources{CPU: int64(4+rng.IntN(8)) * 1000 * int64(1+s.Applications/8)}
	if s.Memory {
		r.Memory = int64(8+rng.IntN(16)) << 30 * int64(1+s.Applications/8)
	}
	if s.Devices && rng.IntN(2) == 0 {
		r.Devices = map[string]int64{GPU: int64(1+rng.IntN(4)) * int64(1+s.Applications/8)}
	}
	return r
}

func (s Shape) tenant(rng *rand.Rand, i int, policy model.Policy) model.Tenant {
	t := model.Tenant{Name: fmt.Sprintf("tenant-%d", i), Weight: 1 + rng.IntN(3), PriorityCeiling: 1000, Policy: policy}
	if rng.IntN(2) == 0 {
		t.Guarantee.CPU = int64(rng.IntN(4)) * 1000
		if s.Memory {
			t.Guarantee.Memory = int64(rng.IntN(4)) << 30
		}
	}
	if rng.IntN(6) == 0 {
		t.Borrow = &model.Resources{CPU: int64(rng.IntN(6)) * 1000, Memory: int64(rng.IntN(6)) << 30, Devices: map[string]int64{GPU: 2}}
	}
	if rng.IntN(6) == 0 {
		t.Lend = &model.Resources{CPU: int64(rng.IntN(3)) * 1000, Memory: int64(rng.IntN(3)) << 30}
	}
	return t
}

// groups puts some tenants into groups, one of which may be in another.
func groups(rng *rand.Rand, tenants []model.Tenant) []model.Group {
	all := []model.Group{{Name: "group-0", Weight: 1 + rng.IntN(3)}, {Name: "group-1", Weight: 1 + rng.IntN(3)}}
	if rng.IntN(2) == 0 {
		all[1].Parent = "group-0"
	}
	for i := range tenants {
		if g := rng.IntN(3); g < len(all) {
			all[g].Tenants = append(all[g].Tenants, tenants[i].Name)
		}
	}
	for i := range all {
		for _, name := range all[i].Tenants { // the floor of a group is that of its members
			for j := range tenants {
				if tenants[j].Name == name {
					all[i].Guarantee = all[i].Guarantee.Add(tenants[j].Guarantee)
				}
			}
		}
	}
	if all[1].Parent != "" {
		all[0].Guarantee = all[0].Guarantee.Add(all[1].Guarantee)
	}
	return all
}

// Application returns a random application of a random tenant.
func (s Shape) Application(rng *rand.Rand, name string, policy *model.Policy) model.Application {
	priority := 100 * (1 + rng.IntN(4))
	if s.Bands {
		priority = []int{20, 60, 150, 250, 550, 650}[rng.IntN(6)]
	}
	a := App(fmt.Sprintf("tenant-%d", rng.IntN(s.Tenants)), name, priority, 1, s.requests(rng), policy)
	if !s.Ladders {
		return a
	}
	main := &a.Components[0]
	main.Replicas = 1 + rng.IntN(3)
	if rng.IntN(2) == 0 {
		main.Degrade = &model.Degrade{MinReplicas: rng.IntN(main.Replicas) + 1, QoS: "burstable"}
	}
	if rng.IntN(3) == 0 {
		side := Component("side", 1, s.requests(rng))
		side.Critical = rng.IntN(2) == 0
		a.Components = append(a.Components, side)
	}
	a.Policy = new(*policy)
	a.Policy.Degradation = rng.IntN(3) > 0
	return a
}

func (s Shape) requests(rng *rand.Rand) model.Resources {
	r := model.Resources{CPU: int64(1+rng.IntN(4)) * 500}
	if s.Memory {
		r.Memory = int64(1+rng.IntN(4)) << 29
	}
	if s.Devices && rng.IntN(5) == 0 {
		r.Devices = map[string]int64{GPU: 1}
	}
	return r
}

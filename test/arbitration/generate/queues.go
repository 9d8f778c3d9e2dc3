package generate

import (
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// Queues are the shapes of Kueue's published load tests: so many groups of so
// many tenants, each guaranteed 20 cpu and free to borrow 100, and in each tenant
// Small applications of 1 cpu, Medium of 5 and Large of 20.
type Queues struct {
	Groups, Tenants      int  // tenants in each group
	Small, Medium, Large int  // applications in each tenant
	Timed                bool // they are jobs, of which each takes another time
}

// Baseline and LargeScale have the numbers of Kueue's configurations of those
// names: 15,000 and 50,000 applications.
var (
	Baseline   = Queues{Groups: 5, Tenants: 6, Small: 350, Medium: 100, Large: 50}
	LargeScale = Queues{Groups: 10, Tenants: 100, Small: 35, Medium: 10, Large: 5}
)

// Applications is how many there are in all.
func (q Queues) Applications() int { return q.Groups * q.Tenants * (q.Small + q.Medium + q.Large) }

// World declares everything and runs nothing. The pool holds what is guaranteed.
func (q Queues) World() *world.World {
	policy := Policy("reclaim")
	w := world.New(model.Platform{Name: "queues", Policy: policy, Bands: Bands})
	w.AddPool(model.Pool{Name: "general", Nodes: q.Groups * q.Tenants, Capacity: model.Resources{CPU: int64(q.Groups*q.Tenants) * 20_000}})
	var apps []model.Application
	for g := range q.Groups {
		group := model.Group{Name: fmt.Sprintf("group-%02d", g), Weight: 1}
		for t := range q.Tenants {
			name := fmt.Sprintf("tenant-%02d-%03d", g, t)
			group.Tenants = append(group.Tenants, name)
			w.Fleet.Tenants = append(w.Fleet.Tenants, model.Tenant{
				Name: name, Weight: 1, Guarantee: model.Resources{CPU: 20_000}, Borrow: &model.Resources{CPU: 100_000},
				PriorityCeiling: 1000, Policy: policy,
			})
			add := func(kind string, n, priority int, cpu int64) {
				for i := range n {
					apps = append(apps, App(name, fmt.Sprintf("%s-%03d", kind, i), priority, 1, model.Resources{CPU: cpu}, &policy))
				}
			}
			add("small", q.Small, 150, 1000)
			add("medium", q.Medium, 200, 5000)
			add("large", q.Large, 300, 20_000)
		}
		w.Fleet.Platform.Groups = append(w.Fleet.Platform.Groups, group)
	}
	for i := range apps {
		if main := &apps[i].Components[0]; q.Timed {
			main.Type, main.Expect = "job", 10*time.Minute+time.Duration(i*7919%84_000)*time.Second
		}
	}
	w.Declare(apps...)
	return w
}

// Crowded is a full pool: so many tenants hold all of it, in Running applications
// of 1 cpu each, and in every tenant one more important application of 5 cpu
// waits that can only get in by preemption.
type Crowded struct {
	Tenants, Running int
	// Reclaim lets half of the tenants hold everything, and the others, which
	// are guaranteed their part, ask for it: preemption between tenants instead
	// of inside one.
	Reclaim bool
	Ask     int // how many wait at the most, 0: as many as there are tenants
}

// World returns the full pool, with those that wait or without.
func (c Crowded) World(waiting bool) *world.World {
	w := c.full()
	if waiting {
		w.Declare(c.Asking()...)
	}
	return w
}

// Asking are those that wait.
func (c Crowded) Asking() (asking []model.Application) {
	policy := Policy("reclaim")
	for t := range c.Tenants {
		asking = append(asking, App(c.tenant(t), "urgent", 300, 1, model.Resources{CPU: 5000}, &policy))
	}
	if c.Reclaim {
		asking = asking[c.holders():]
		for t := range c.holders() { // as many preemptors as without Reclaim
			asking = append(asking, App(c.tenant(c.holders()+t), "urgent-2", 300, 1, model.Resources{CPU: 5000}, &policy))
		}
	}
	if c.Ask > 0 {
		return asking[:min(c.Ask, len(asking))]
	}
	return asking
}

func (c Crowded) tenant(t int) string { return fmt.Sprintf("tenant-%03d", t) }

// holders is how many tenants hold everything.
func (c Crowded) holders() int {
	if c.Reclaim {
		return c.Tenants / 2
	}
	return c.Tenants
}

// full is the full pool.
func (c Crowded) full() *world.World {
	policy := Policy("reclaim")
	w := world.New(model.Platform{Name: "crowded", Policy: policy, Bands: Bands})
	w.AddPool(model.Pool{Name: "general", Nodes: c.Running, Capacity: model.Resources{CPU: int64(c.Running) * 1000}})
	part := model.Resources{CPU: int64(c.Running) * 1000 / int64(c.Tenants)}
	for t := range c.Tenants {
		w.Fleet.Tenants = append(w.Fleet.Tenants, model.Tenant{
			Name: c.tenant(t), Weight: 1, Guarantee: part, PriorityCeiling: 1000, Policy: policy,
		})
	}
	running := make([]model.Application, c.Running)
	for i := range c.Running {
		running[i] = App(c.tenant(i%c.holders()), fmt.Sprintf("app-%05d", i), 200, 1, model.Resources{CPU: 1000}, &policy)
	}
	w.Declare(running...)
	for i := range running {
		Run(w, "general", running[i].ID)
	}
	w.Now = w.Now.Add(3600e9)
	return w
}

// Growing is a fleet of so many applications in tenants of 50, of which nine in
// ten fit. Nothing runs yet.
func Growing(applications int) *world.World {
	policy := Policy("reclaim")
	w := world.New(model.Platform{Name: "growing", Policy: policy, Bands: Bands})
	w.AddPool(model.Pool{Name: "general", Nodes: applications, Capacity: model.Resources{CPU: int64(applications) * 900}})
	apps := make([]model.Application, applications)
	for i := range apps {
		tenant := fmt.Sprintf("tenant-%04d", i/50)
		if i%50 == 0 {
			w.Fleet.Tenants = append(w.Fleet.Tenants, model.Tenant{
				Name: tenant, Weight: 1 + i/50%3, Guarantee: model.Resources{CPU: 10_000}, PriorityCeiling: 1000, Policy: policy,
			})
		}
		apps[i] = App(tenant, fmt.Sprintf("app-%06d", i), 100+i%7*100, 1, model.Resources{CPU: 1000}, &policy)
	}
	w.Declare(apps...)
	return w
}

package offline

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// platformFields are the fields of the platform that can be changed.
func platformFields(fleet *model.Fleet, p *model.Platform) fields {
	f := fields{"policy.history.halfLife": func(c Setting) error {
		half, err := time.ParseDuration(c.value)
		switch {
		case c.sign != 0 || err != nil || half != 0 && (half < model.LeastHalfLife || half > model.MostHalfLife):
			return fmt.Errorf("%s: write a half-life from 1h to 8760h, or 0s for none", c.text)
		}
		p.HalfLife = half
		return nil
	}}
	f.policy(fleet, "", &p.Policy)
	p.Pools = slices.Clone(p.Pools)
	for i := range p.Pools {
		f.shares(&p.Pools[i])
	}
	return f
}

// shares adds how many shares a pool makes of each of its devices.
func (f fields) shares(p *model.PoolSpec) {
	path := "pools." + p.Name + ".shares."
	for device := range p.Shares {
		f[path+device] = nil
	}
	f[path+"*"] = func(c Setting) error {
		device, shared := c.path, model.SharesOf(c.path)
		if p.Capacity == nil {
			return fmt.Errorf("%s: the nodes of pool %s say what they offer; write --capacity %s.%s=…", c.text, p.Name, p.Name, shared)
		}
		was := max(1, p.Shares[device])
		each, err := c.number(p.Shares[device], 2, parseCount)
		if err != nil {
			return err
		}
		whole := p.Capacity.Get(device) + p.Capacity.Get(shared)/was
		if whole == 0 {
			return fmt.Errorf("%s: the capacity of pool %s has no %s", c.text, p.Name, device)
		}
		p.Shares = maps.Clone(p.Shares)
		if p.Shares == nil {
			p.Shares = map[string]int64{}
		}
		p.Shares[device] = each
		capacity := *p.Capacity
		capacity.Devices = maps.Clone(capacity.Devices)
		delete(capacity.Devices, shared)
		capacity.Devices[device] = whole
		capacity = capacity.Shared(map[string]int64{device: each})
		p.Capacity = &capacity
		return nil
	}
}

// handed are the values of a policy that a setting of the platform or a tenant hands down, by path.
var handed = map[string]func(Setting, *model.Policy) error{
	"backfill": func(c Setting, p *model.Policy) error {
		return choose(c, &p.Backfill, "", model.BackfillReserve, model.BackfillOff)
	},
	"priorityClaims": claims,
	"reserveAfter": func(c Setting, p *model.Policy) error {
		one := fields{}
		one.duration("", &p.ReserveAfter)
		return one[""](c)
	},
}

// policy adds what the policy of a tenant says, or of the platform where the tenant is "". It holds for all below who do not say it
// themselves.
func (f fields) policy(fleet *model.Fleet, tenant string, own *model.Policy) {
	for path, set := range handed {
		says := func(inForce []model.PolicyValue, layer string) bool {
			v, ok := model.Find(inForce, path)
			return ok && v.Layer == layer
		}
		f["policy."+path] = func(c Setting) error {
			if err := set(c, own); err != nil {
				return err
			}
			fleet.Tenants = slices.Clone(fleet.Tenants)
			for i := range fleet.Tenants {
				if t := &fleet.Tenants[i]; tenant == "" && !says(t.InForce, "tenant") {
					_ = set(c, &t.Policy) // a value that one policy may have, all may
				}
			}
			fleet.Applications = slices.Clone(fleet.Applications)
			for i, app := range fleet.Applications {
				of := tenant == app.ID.Tenant || tenant == "" && !says(app.InForce, "tenant")
				if !of || says(app.InForce, "application") {
					continue
				}
				changed := *app
				changed.Policy = new(*app.Policy)
				_ = set(c, changed.Policy)
				fleet.Applications[i] = new(changed.Seal())
			}
			return nil
		}
	}
}

// claims sets how much of an application its priority is for.
func claims(c Setting, p *model.Policy) error {
	return choose(c, &p.PriorityClaims, "", model.ClaimsFull, model.ClaimsMinimum)
}

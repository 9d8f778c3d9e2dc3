package offline

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

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
		says := func(p *model.Policy, layer string) bool {
			v, ok := model.Find(p.InForce, path)
			return ok && v.Layer == layer
		}
		f["policy."+path] = func(c Setting) error {
			if err := set(c, own); err != nil {
				return err
			}
			fleet.Tenants = slices.Clone(fleet.Tenants)
			for i := range fleet.Tenants {
				if t := &fleet.Tenants[i]; tenant == "" && !says(&t.Policy, "tenant") {
					_ = set(c, &t.Policy) // a value that one policy may have, all may
				}
			}
			fleet.Applications = slices.Clone(fleet.Applications)
			for i, app := range fleet.Applications {
				of := tenant == app.ID.Tenant || tenant == "" && !says(&app.Policy, "tenant")
				if !of || says(&app.Policy, "application") {
					continue
				}
				changed := *app
				_ = set(c, &changed.Policy)
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

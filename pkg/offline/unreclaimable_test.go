package offline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
)

// under returns a tenant that is guaranteed 4 cores where the value of preemption comes from a
// layer.
func under(name string, p model.Preemption, layer, at string) model.Tenant {
	return model.Tenant{
		Name: name, Guarantee: model.Resources{CPU: 4000}, At: model.Positions{"guarantee": name + ".cue:3:4"},
		Policy:  model.Policy{Preemption: p},
		InForce: []model.PolicyValue{{Path: "preemption", Value: string(p), Layer: layer, At: at}},
	}
}

func TestUnreclaimable(t *testing.T) {
	says := func(value, where, guarantees string) string {
		return "preemption is " + value + " (" + where + "), so these guarantees are never taken back from other tenants that hold the capacity: " + guarantees
	}
	a := under("a", model.PreemptionWithinTenant, "platform", "fleet.cue:5:6")
	b := under("b", model.PreemptionWithinTenant, "platform", "fleet.cue:5:6")
	none := under("b", model.PreemptionNone, "tenant", "tenants/b/tenant.cue:7:8")
	reclaim := under("a", model.PreemptionReclaim, "platform", "fleet.cue:5:6")
	wide := under("b", model.PreemptionAny, "platform", "fleet.cue:5:6")
	kept := a
	kept.Lend = &model.Resources{}
	nothing := wide
	nothing.Guarantee = model.Resources{}
	byDefault := under("a", model.PreemptionWithinTenant, "schema", "")
	group := model.Platform{
		Groups: []model.Group{{Name: "g"}, {Name: "in", Parent: "g", Tenants: []string{"b"}}},
		At:     model.Positions{"groups.g.guarantee": "fleet.cue:9:9"},
	}
	group.Groups[0].Guarantee = model.Resources{CPU: 8000}

	for name, c := range map[string]struct {
		platform *model.Platform
		tenants  []model.Tenant
		want     []string
	}{
		"by the platform, in one note": {nil, []model.Tenant{a, b}, []string{says("within-tenant", "fleet.cue:5:6", "tenant a 4 cpu (a.cue:3:4), tenant b 4 cpu (b.cue:3:4)")}},
		"by nobody":                    {nil, []model.Tenant{byDefault, nothing}, []string{says("within-tenant", "the default", "tenant a 4 cpu (a.cue:3:4)")}},
		"by the tenant":                {nil, []model.Tenant{reclaim, none}, []string{says("none", "tenants/b/tenant.cue:7:8", "tenant b 4 cpu (b.cue:3:4)")}},
		"not the policy of the others": {nil, []model.Tenant{reclaim, under("c", model.PreemptionAny, "platform", "")}, nil},
		"nothing is lent":              {nil, []model.Tenant{kept, nothing}, nil},
		"nobody else":                  {nil, []model.Tenant{a}, nil},
		"of a group, of one inside it": {&group, []model.Tenant{reclaim, none}, []string{says("none", "tenants/b/tenant.cue:7:8", "group g 8 cpu (fleet.cue:9:9), tenant b 4 cpu (b.cue:3:4)")}},
		"a member may":                 {&group, []model.Tenant{reclaim, wide}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if c.platform == nil {
				c.platform = &model.Platform{}
			}
			require.Equal(t, c.want, offline.Unreclaimable(&model.Fleet{Platform: c.platform, Tenants: c.tenants}))
		})
	}
	require.Nil(t, offline.Unreclaimable(&model.Fleet{}))
}

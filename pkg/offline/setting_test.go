package offline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func settingsFleet() model.Fleet {
	app := model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Priority: 300, Desired: "running", Budget: 2_000_000, Components: []model.Component{
		{Name: "web", Replicas: 4, Requests: model.Resources{CPU: 500, Memory: 1 << 30}, Degrade: &model.Degrade{MinReplicas: 2},
			Placement: model.Placement{Pool: "a100", Together: &model.Together{Over: "rack", Mode: model.TogetherRequired}}},
		{Name: "train", Type: "job", Replicas: 1, Expect: time.Hour, Placement: model.Placement{Flavours: []model.Flavour{{Pool: "h100"}, {Pool: "a100", Requests: model.Resources{CPU: 2000}}}}},
	}}
	return model.Fleet{
		Platform: &model.Platform{
			Pools: []model.PoolSpec{
				{Name: "a100", Shares: map[string]int64{"nvidia.com/gpu": 4}, Capacity: &model.Resources{CPU: 8000, Devices: map[string]int64{"nvidia.com/gpu.shared": 8, "amd.com/gpu": 3}}},
				{Name: "h100", Selector: map[string]string{"gpu": "h100"}},
			},
			Groups: []model.Group{{Name: "retail", Weight: 1, Quota: &model.Resources{CPU: 8000}}},
		},
		Tenants: []model.Tenant{{Name: "acme", Weight: 2, MaxApplications: 5, PriorityCeiling: 500,
			Quota:      &model.Resources{CPU: 64_000, Memory: 256 << 30, Devices: map[string]int64{"nvidia.com/gpu": 4}},
			PoolQuotas: []model.PoolQuota{{Pool: "a100", Limits: map[string]int64{"cpu": 4000, "nvidia.com/gpu": 2}}}}},
		Applications: []*model.Application{new(app.Seal())},
	}
}

func TestSettings(t *testing.T) {
	for text, got := range map[string]func(*model.Fleet) any{
		"tenant.acme.weight=3":                                              func(f *model.Fleet) any { return f.Tenants[0].Weight == 3 },
		"tenant.acme.weight=+3":                                             func(f *model.Fleet) any { return f.Tenants[0].Weight == 5 },
		"tenant.acme.quota.cpu=+500m":                                       func(f *model.Fleet) any { return f.Tenants[0].Quota.CPU == 64_500 },
		"tenant.acme.quota.memory=-56Gi":                                    func(f *model.Fleet) any { return f.Tenants[0].Quota.Memory == 200<<30 },
		"tenant.acme.quota.nvidia.com/gpu=8":                                func(f *model.Fleet) any { return f.Tenants[0].Quota.Devices["nvidia.com/gpu"] == 8 },
		"tenant.acme.quota.pools.a100.cpu=6":                                func(f *model.Fleet) any { return f.Tenants[0].PoolQuotas[0].Limits["cpu"] == 6000 },
		"tenant.acme.quota.pools.a100.nvidia.com/gpu=+1":                    func(f *model.Fleet) any { return f.Tenants[0].PoolQuotas[0].Limits["nvidia.com/gpu"] == 3 },
		"tenant.acme.quota.applications=6":                                  func(f *model.Fleet) any { return f.Tenants[0].MaxApplications == 6 },
		"tenant.acme.quota.priorityCeiling=900":                             func(f *model.Fleet) any { return f.Tenants[0].PriorityCeiling == 900 },
		"tenant.acme.guarantee.cpu=4":                                       func(f *model.Fleet) any { return f.Tenants[0].Guarantee.CPU == 4000 },
		"group.retail.weight=2":                                             func(f *model.Fleet) any { return f.Platform.Groups[0].Weight == 2 },
		"group.retail.quota.cpu=16":                                         func(f *model.Fleet) any { return f.Platform.Groups[0].Quota.CPU == 16_000 },
		"application.acme/shop.policy.flavours=make-room-first":             func(f *model.Fleet) any { return f.Applications[0].Policy.Flavours == model.FlavoursMakeRoomFirst },
		"application.acme/shop.priority=500":                                func(f *model.Fleet) any { return f.Applications[0].Priority == 500 },
		"application.acme/shop.budget.costPerHour=+0.25":                    func(f *model.Fleet) any { return f.Applications[0].Budget == 2_250_000 },
		"application.acme/shop.desired=terminated":                          func(f *model.Fleet) any { return f.Applications[0].Desired == "terminated" },
		"application.acme/shop.components.web.replicas=-1":                  func(f *model.Fleet) any { return f.Applications[0].Components[0].Replicas == 3 },
		"application.acme/shop.components.web.resources.requests.cpu=1":     func(f *model.Fleet) any { return f.Applications[0].Components[0].Requests.CPU == 1000 },
		"application.acme/shop.components.web.degrade.minReplicas=1":        func(f *model.Fleet) any { return f.Applications[0].Components[0].Degrade.MinReplicas == 1 },
		"application.acme/shop.components.web.resources.requests.a.b/c=1":   func(f *model.Fleet) any { return f.Applications[0].Components[0].Requests.Devices["a.b/c"] == 1 },
		"application.acme/shop.components.web.resources.requests.memory=2G": func(f *model.Fleet) any { return f.Applications[0].Components[0].Requests.Memory == 2_000_000_000 },

		"tenant.acme.policy.backfill=off": func(f *model.Fleet) any {
			return f.Tenants[0].Policy.Backfill == model.BackfillOff && f.Applications[0].Policy.Backfill == model.BackfillOff
		},
		"tenant.acme.policy.reserveAfter=10m": func(f *model.Fleet) any {
			return f.Tenants[0].Policy.ReserveAfter == 10*time.Minute && f.Applications[0].Policy.ReserveAfter == 10*time.Minute
		},
		"tenant.acme.policy.priorityClaims=minimum": func(f *model.Fleet) any {
			return f.Tenants[0].Policy.PriorityClaims == model.ClaimsMinimum && f.Applications[0].Policy.PriorityClaims == model.ClaimsMinimum
		},
		"platform.policy.backfill=off": func(f *model.Fleet) any {
			return f.Platform.Policy.Backfill == model.BackfillOff && f.Tenants[0].Policy.Backfill == model.BackfillOff && f.Applications[0].Policy.Backfill == model.BackfillOff
		},
		"platform.policy.reserveAfter=0s": func(f *model.Fleet) any {
			return f.Platform.Policy.ReserveAfter == 0 && f.Applications[0].Policy.ReserveAfter == 0
		},
		"platform.pools.a100.shares.nvidia.com/gpu=8": func(f *model.Fleet) any {
			return f.Platform.Pools[0].Shares["nvidia.com/gpu"] == 8 && f.Platform.Pools[0].Capacity.Get("nvidia.com/gpu.shared") == 16
		},
		"platform.pools.a100.shares.amd.com/gpu=2": func(f *model.Fleet) any {
			return f.Platform.Pools[0].Capacity.Get("amd.com/gpu.shared") == 6 && f.Platform.Pools[0].Capacity.Get("amd.com/gpu") == 0
		},
		"application.acme/shop.components.train.expect=40m":        func(f *model.Fleet) any { return f.Applications[0].Components[1].Expect == 40*time.Minute },
		"application.acme/shop.components.web.placement.pool=spot": func(f *model.Fleet) any { return f.Applications[0].Components[0].Placement.Pool == "spot" },
		"application.acme/shop.components.train.placement.flavours=a100,spot": func(f *model.Fleet) any {
			list := f.Applications[0].Components[1].Placement.Flavours
			return len(list) == 2 && list[0].Requests.CPU == 2000 && list[1].Pool == "spot"
		},
		"application.acme/shop.components.web.placement.together.mode=preferred": func(f *model.Fleet) any {
			return f.Applications[0].Components[0].Placement.Together.Mode == "preferred"
		},
	} {
		fleet, before := settingsFleet(), settingsFleet()
		original := fleet
		c, err := ParseSetting(text)
		require.NoError(t, err, text)
		require.NoError(t, c.apply(&fleet), text)
		require.Equal(t, true, got(&fleet), text)
		require.Equal(t, before, original, "%s changes the fleet that it starts from", text)
		if fleet.Applications[0].Digest != before.Applications[0].Digest {
			require.Regexp(t, `^application\.|\.policy\.`, text, "the digest tells that the spec is another one")
		}
	}
}

// What the platform or a tenant says of policy holds for those below who do not say it themselves.
func TestSettingsAreHandedDown(t *testing.T) {
	hour := model.Policy{ReserveAfter: time.Hour}
	says := func(layer string) []model.PolicyValue {
		return []model.PolicyValue{{Path: "reserveAfter", Value: "1h", Layer: layer}, {Path: "priorityClaims", Value: "full", Layer: layer}}
	}
	app := func(tenant, name, layer string) *model.Application {
		return &model.Application{ID: model.AppID{Tenant: tenant, Name: name}, Policy: &hour, InForce: says(layer)}
	}
	fleet := func() model.Fleet {
		return model.Fleet{
			Platform:     &model.Platform{Policy: hour, InForce: says("platform")},
			Tenants:      []model.Tenant{{Name: "acme", Policy: hour, InForce: says("tenant")}, {Name: "corp", Policy: hour, InForce: says("platform")}},
			Applications: []*model.Application{app("acme", "a", "tenant"), app("acme", "b", "application"), app("corp", "c", "platform")},
		}
	}
	c, err := ParseSetting("platform.policy.reserveAfter=2h")
	require.NoError(t, err)
	f := fleet()
	require.NoError(t, c.apply(&f))
	require.Equal(t, []time.Duration{2 * time.Hour, time.Hour, 2 * time.Hour}, []time.Duration{f.Platform.Policy.ReserveAfter, f.Tenants[0].Policy.ReserveAfter, f.Tenants[1].Policy.ReserveAfter})
	for i, want := range []time.Duration{time.Hour, time.Hour, 2 * time.Hour} {
		require.Equal(t, want, f.Applications[i].Policy.ReserveAfter, f.Applications[i].ID)
	}
	c, err = ParseSetting("tenant.acme.policy.priorityClaims=minimum")
	require.NoError(t, err)
	f = fleet()
	require.NoError(t, c.apply(&f))
	for i, want := range []model.PriorityClaims{model.ClaimsMinimum, "", ""} {
		require.Equal(t, want, f.Applications[i].Policy.PriorityClaims, f.Applications[i].ID)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"tenant.acme.weight":                               `"tenant.acme.weight" changes nothing; write PATH=VALUE`,
		"tennant.acme.weight=1":                            "only a tenant, an application, a group or the platform can be changed",
		"tenant.acmee.weight=1":                            "the fleet declares no tenant acmee; did you mean acme?",
		"tenant.other.weight=1":                            "the fleet declares no tenant other; it declares acme",
		"tenant.acme.wieght=1":                             `tenant acme has no "wieght" that can be changed; did you mean weight?`,
		"tenant.acme.colour=1":                             "it has borrow.cpu, borrow.memory, guarantee.cpu",
		"tenant.acme.quota.gpu=1":                          `did you mean quota.cpu?`,
		"tenant.acme.weight=0":                             "makes it 0, at least 1 is possible",
		"tenant.acme.weight=-2":                            "makes it 0, at least 1 is possible",
		"tenant.acme.weight=x":                             `"x" is no whole number`,
		"tenant.acme.quota.cpu=lots":                       `"lots" is not an amount`,
		"tenant.acme.quota.cpu=-65":                        "makes it -1000, at least 0 is possible",
		"tenant.acme.borrow.cpu=4":                         "there is no such limit to change; declare it and use plan",
		"group.retial.weight=1":                            "the fleet declares no group retial; did you mean retail?",
		"application.acme/shop.desired=maybe":              "write running, suspended or terminated",
		"application.acme/shop.budget.costPerHour=1m":      `"1m" is no amount of money`,
		"application.acme/shp.priority=1":                  "did you mean acme/shop?",
		"application.acme/shop.components.wbe.replicas=1":  "did you mean components.web.replicas?",
		"application.acme/shop.components.web.replicas=1x": `"1x" is no whole number`,

		"application.acme/shop.components.web.placement.together.mode=x":      "write required or preferred",
		"application.acme/shop.components.train.placement.flavours=a100,a100": "write pools in order, each once",
		"application.acme/shop.components.train.expect=-40m":                  "write a time, such as 40m",
		"application.acme/shop.components.web.expect=40m":                     `has no "components.web.expect" that can be changed`,
		"tenant.acme.policy.backfill=on":                                      "write reserve or off",
		"platform.policy.backfill=on":                                         "write reserve or off",
		"platform.pools.a100.shares.nvidia.com/gpu=1":                         "makes it 1, at least 2 is possible",
		"platform.pools.a100.shares.intel.com/gpu=2":                          "the capacity of pool a100 has no intel.com/gpu",
		"platform.pools.h100.shares.nvidia.com/gpu=2":                         "write --capacity h100.nvidia.com/gpu.shared=",
		"platform.pools.a100.shares.nvidia.com=2":                             `has no "pools.a100.shares.nvidia.com"`,
		"tenant.acme.policy.reserveAfter=soon":                                "write a time, such as 40m",
	} {
		fleet := settingsFleet()
		c, err := ParseSetting(text)
		if err == nil {
			err = c.apply(&fleet)
		}
		require.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		"general=3":            "write POOL.cpu, POOL.memory, POOL.DEVICE or POOL.domains",
		"general.cpus=3":       "write POOL.cpu",
		"general.cpu=":         "changes nothing",
		"gneral.cpu=+1":        "did you mean general?",
		"general.cpu=-17":      "makes it -1000",
		"general.memory=4x":    "is not an amount",
		"general.domains=-1":   "makes it -1",
		"general.domains=9999": "at most 1000",
	} {
		edits, err := ParseCapacity([]string{text})
		if err == nil {
			err = edits[0].apply([]model.Pool{{Name: "general", Capacity: model.Resources{CPU: 16_000}}})
		}
		require.ErrorContains(t, err, want, text)
	}
}

// A pool has as many zones as one says, and each its part.
func TestCapacity(t *testing.T) {
	pools := []model.Pool{{Name: "general", Capacity: model.Resources{CPU: 16_000, Memory: 64 << 30}}}
	edits, err := ParseCapacity([]string{"general.cpu=+8", "general.nvidia.com/gpu=2", "general.domains=3"})
	require.NoError(t, err)
	for _, e := range edits {
		require.NoError(t, e.apply(pools))
	}
	require.Equal(t, model.Resources{CPU: 24_000, Memory: 64 << 30, Devices: map[string]int64{"nvidia.com/gpu": 2}}, pools[0].Capacity)
	require.Len(t, pools[0].Domains, 3)
	require.Equal(t, int64(8_000), pools[0].Domains[2].Capacity.CPU)
}

func FuzzSetting(f *testing.F) {
	f.Add("tenant.acme.quota.cpu=+500m")
	f.Add("application.acme/shop.components.web.replicas=-1")
	f.Fuzz(func(t *testing.T, text string) {
		fleet := settingsFleet()
		if c, err := ParseSetting(text); err == nil {
			_ = c.apply(&fleet)
		}
		_, _ = ParseCapacity([]string{text})
	})
}

// TestAllOrNothing: the question of the whole application is about a fleet of its own.
func TestAllOrNothing(t *testing.T) {
	fleet := settingsFleet()
	fleet.Applications[0].Policy.Degradation = true
	asked, _ := allOrNothing(fleet, model.Ledger{}, fleet.Applications[0].ID)
	require.Equal(t, []bool{true, false}, []bool{fleet.Applications[0].Policy.Degradation, asked.Applications[0].Policy.Degradation})
}

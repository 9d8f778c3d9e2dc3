package qos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// On one machine of 8 cores: what is promised, and what of that holds.
func TestStandings(t *testing.T) {
	profiles := model.BuiltinQoSProfiles()
	pro := profiles[len(profiles)-1]
	require.Equal(t, "guaranteed-pro", pro.Name)
	one := model.Resources{CPU: 4000, Memory: 1 << 30}
	for name, c := range map[string]struct {
		memory Version
		host   int64
		not    [2]string // group and file that is not in force
		want   Amounts   // effective
	}{
		"all of it holds":                  {V2, 8 << 30, [2]string{}, Amounts{CPU: 4000, Memory: 1 << 30}},
		"v1 protects no memory":            {V1, 8 << 30, [2]string{}, Amounts{CPU: 4000}},
		"a host too small reserves none":   {V2, 1 << 30, [2]string{}, Amounts{}},
		"the kernel refuses the weight":    {V2, 8 << 30, [2]string{"a/pro", "cpu.weight"}, Amounts{Memory: 1 << 30}},
		"an ancestor has no protection":    {V2, 8 << 30, [2]string{"a", "memory.min"}, Amounts{CPU: 4000}},
		"a group of somebody else is none": {V2, 8 << 30, [2]string{"b", "memory.min"}, Amounts{CPU: 4000, Memory: 1 << 30}},
	} {
		t.Run(name, func(t *testing.T) {
			plan := Plan{Workloads: []Workload{{Name: "pro", Cgroup: "a/pro", Profile: pro, Request: one, Reserved: one}}}
			host := Host{CPU: 8000, Memory: c.host, Page: 4096, Controllers: map[string]Version{"cpu": V2, "memory": c.memory},
				Groups: map[string]Group{"": {}, "a": {Others: 400}}}
			e := Resolve(plan, host)
			got := Standings(plan, e, func(group, file string) bool { return c.not == [2]string{group, file} })
			require.Len(t, got, 1)
			require.Equal(t, Amounts{CPU: 4000, Memory: 1 << 30}, got[0].Promised)
			if c.host < 8<<30 {
				c.want.CPU = e.Shares[0].CPU // by its request
			}
			require.Equal(t, c.want, got[0].Effective)
		})
	}
}

// A standing is told again where it differs by a tenth, or by an amount that people notice.
func TestStandingsAreAlike(t *testing.T) {
	used := func(cpu, memory, waits int64) *Standing {
		return &Standing{Used: &Used{cpu, memory}, Pressure: &Pressure{CPU: waits}}
	}
	for _, c := range []struct {
		a, b *Standing
		want bool
	}{
		{used(0, 0, 0), used(50, 16<<20, 500), true},
		{used(0, 0, 0), used(51, 0, 0), false},
		{used(0, 0, 0), used(0, 16<<20+1, 0), false},
		{used(0, 0, 0), used(0, 0, 501), false},
		{used(4000, 8<<30, 0), used(3600, 8<<30+700<<20, 0), true},
		{used(4000, 0, 0), used(3599, 0, 0), false},
		{&Standing{}, used(0, 0, 0), false},
		{&Standing{}, &Standing{}, true},
	} {
		require.Equal(t, c.want, c.a.Like(c.b), "%+v %+v", c.a, c.b)
	}
}

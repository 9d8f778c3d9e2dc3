package qos

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// genSending is a plan with profiles and reservations about what is sent.
func genSending(t *rapid.T) Plan {
	plan := genPlan(t)
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		if rapid.Bool().Draw(t, "own profile") {
			percent := rapid.IntRange(0, 100)
			w.Profile = model.QoSProfile{Name: "own" + w.Name, Rank: rapid.IntRange(0, 40).Draw(t, "rank"), Network: model.QoSNetwork{
				Share: model.Percent(percent.Draw(t, "share")), Ceiling: model.Percent(percent.Draw(t, "ceiling")), Priority: rapid.IntRange(0, 7).Draw(t, "priority"),
			}}
		}
		if rapid.Bool().Draw(t, "reserves traffic") {
			w.Reserved = w.Reserved.With(model.NetworkResource, rapid.Int64Range(8_000, 2_000_000_000).Draw(t, "bits"))
		}
		w.Hold = rapid.IntRange(0, 9).Draw(t, "hold") == 0
	}
	return plan
}

func genLink(t *rapid.T) Link {
	return Link{Device: "eth0", Paces: rapid.Bool().Draw(t, "paces"), Rate: rapid.Int64Range(10_000_000, 400_000_000_000).Draw(t, "link")}
}

// Whatever the plan: the guarantees of all classes together are no more than is shaped, each
// reservation is kept whole or reported, nobody is in two classes, and numbers are apart.
func TestClassesHoldWhatTheyPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, host := genSending(t), genHost(t)
		host.Link = genLink(t)
		e := Resolve(plan, host)
		if e.Uplink == nil {
			return
		}
		require.LessOrEqual(t, e.Uplink.Rate, host.Link.Rate/100*95+95)
		most := int64(0)
		sum, minors, cgroups, reserved := int64(0), map[uint16]bool{WholeMinor: true}, map[string]bool{}, map[string]int64{}
		for _, c := range e.Uplink.Classes {
			sum += c.Rate
			most += c.Ceil
			require.GreaterOrEqual(t, c.Rate, int64(leastRate))
			require.LessOrEqual(t, c.Rate, c.Ceil)
			require.LessOrEqual(t, c.Ceil, e.Uplink.Rate)
			require.False(t, minors[c.Minor], "%d is there twice", c.Minor)
			minors[c.Minor] = true
			require.True(t, c.Priority >= 0 && c.Priority <= 7)
			require.True(t, c.Quantum() >= 1500 && c.Quantum() <= 60_000)
			for _, g := range c.Cgroups {
				require.False(t, cgroups[g], "%s is in two classes", g)
				cgroups[g] = true
			}
			reserved[c.Name] = c.Rate
		}
		require.LessOrEqual(t, sum, e.Uplink.Rate+leastRate*int64(len(e.Uplink.Classes)))
		require.Equal(t, host.Link.Paces, e.Uplink.Paces)
		require.True(t, !e.Uplink.Paces || most <= max(sum, e.Uplink.Rate), "nobody is kept from what is guaranteed: %d", most)
		for _, w := range plan.Workloads {
			bits := w.Reserved.Get(model.NetworkResource)
			reduced := slices.ContainsFunc(e.Degradations, func(d Degradation) bool { return d.Workload == w.Name && d.Promise == "network.reserved" })
			switch {
			case w.Hold:
				require.False(t, cgroups[w.Cgroup])
			case bits > 0 && !reduced:
				require.Equal(t, bits, reserved[w.Name])
			}
		}
	})
}

// Who goes leaves the numbers of the others as they are, as long as no two had the same.
func TestNumbersOfClassesStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, host := genSending(t), genHost(t)
		host.Link = genLink(t)
		minors := func(u *Uplink) map[string]uint16 {
			all := map[string]uint16{}
			if u != nil {
				for _, c := range u.Classes {
					all[c.Name] = c.Minor
				}
			}
			return all
		}
		before := minors(Resolve(plan, host).Uplink)
		plan.Workloads = plan.Workloads[1:]
		for name, minor := range minors(Resolve(plan, host).Uplink) {
			if was, known := before[name]; known {
				require.Equal(t, was, minor, name)
			}
		}
	})
}

// Two keys with the same number have different ones.
func TestNumbersAreApart(t *testing.T) {
	classes := map[string]*Class{}
	for i := range 5000 {
		classes[string(rune('a'+i%26))+string(rune(i))] = &Class{}
	}
	number(classes)
	seen := map[uint16]bool{}
	for _, c := range classes {
		require.False(t, seen[c.Minor])
		require.GreaterOrEqual(t, c.Minor, uint16(firstMinor))
		seen[c.Minor] = true
	}
}

// Without an interface, or with one that the host cannot shape, each reservation is reported.
func TestUnshapedIsSaid(t *testing.T) {
	plan := Plan{Workloads: []Workload{{Name: "db", Cgroup: "db", Reserved: model.Resources{}.With(model.NetworkResource, 1_000_000)}}}
	for _, c := range []struct {
		link Link
		want string
	}{
		{Link{}, "the agent was given no interface to shape (--network)"},
		{Link{Device: "eth0", Lacks: "eth0: there is no such network interface"}, "eth0: there is no such network interface"},
		{Link{Device: "eth0", Rate: 1e9, Untold: []string{"db"}}, "its group is not in cgroup v2, by which the kernel tells whose packets they are: what it sends counts as the system's"},
	} {
		e := Resolve(plan, Host{Link: c.link, Page: 4096, CPU: 1000, Memory: 1 << 30})
		i := slices.IndexFunc(e.Degradations, func(d Degradation) bool { return d.Promise == "network.reserved" })
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, c.want, e.Degradations[i].Reason)
		require.Equal(t, []Shortfall{{Workload: "db", Resource: "network", Promised: 1_000_000, Reason: c.want}}, e.Degradations[i].ReducedBy())
		report := NewReport(e.Degradations[i].ReducedBy())
		back, err := ParseReport(report.Encode())
		require.NoError(t, err)
		require.Equal(t, report, back, "the reconciler reads it")
	}
}

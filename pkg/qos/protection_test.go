package qos

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// protected is a group as the kernel sees it when it reclaims memory.
type protected struct{ usage, setting float64 }

// effective is the kernel's rule for how far siblings are protected below a
// parent that is itself protected up to parentEffective (cgroup-v2.rst).
func effective(parentEffective, parentUsage float64, recursive bool, siblings []protected) []float64 {
	var claimed float64
	for _, s := range siblings {
		claimed += min(s.usage, s.setting)
	}
	out := make([]float64, len(siblings))
	for i, s := range siblings {
		claim := min(s.usage, s.setting)
		switch {
		case claimed > parentEffective:
			out[i] = claim * parentEffective / claimed
		case recursive && parentEffective > claimed && parentUsage > claimed && s.usage > claim:
			out[i] = claim + (parentEffective-claimed)*(s.usage-claim)/(parentUsage-claimed)
		default:
			out[i] = claim
		}
	}
	return out
}

func TestEffectiveModel(t *testing.T) {
	for _, c := range []struct {
		name             string
		effective, usage float64
		recursive        bool
		siblings         []protected
		want             []float64
	}{
		{"nothing passes an unprotected parent", 0, 200, true, []protected{{200, 256}}, []float64{0}},
		{"two reservations in a parent too small", 4, 6, false, []protected{{3, 3}, {3, 3}}, []float64{2, 2}},
		{"in proportion", 50, 150, false, []protected{{50, 75}, {50, 25}, {50, 0}}, []float64{100. / 3, 50. / 3, 0}},
		{"the rest by usage", 50, 80, true, []protected{{40, 10}, {40, 0}}, []float64{190. / 7, 160. / 7}},
		{"no rest", 50, 80, false, []protected{{40, 10}, {40, 0}}, []float64{10, 0}},
	} {
		require.InDeltaSlice(t, c.want, effective(c.effective, c.usage, c.recursive, c.siblings), 0.01, c.name)
	}
}

// genPlan draws a plan whose workloads lie at different depths of a few trees.
func genPlan(t *rapid.T) Plan {
	n := rapid.IntRange(1, 12).Draw(t, "workloads")
	profiles := model.BuiltinQoSProfiles()
	var plan Plan
	for i := range n {
		dir := rapid.SampledFrom([]string{"", "a/", "a/b/", "c/", "c/d/e/"}).Draw(t, "dir")
		p := rapid.SampledFrom(profiles).Draw(t, "profile")
		cpu, mem := rapid.Int64Range(0, 8000).Draw(t, "cpu"), rapid.Int64Range(0, 8<<30).Draw(t, "memory")
		w := Workload{
			Name: fmt.Sprint("w", i), Cgroup: fmt.Sprintf("%sw%d", dir, i), Profile: p,
			Request: model.Resources{CPU: cpu, Memory: mem},
			Limit:   model.Resources{CPU: 2 * cpu, Memory: 2 * mem},
		}
		if Reserves(p) || i%3 == 0 {
			w.Reserved = model.Resources{CPU: cpu / 2, Memory: mem / 2}
		}
		plan.Workloads = append(plan.Workloads, w)
	}
	return plan
}

func genHost(t *rapid.T) Host {
	v := rapid.SampledFrom([]Version{V1, V2})
	return Host{
		CPU: rapid.Int64Range(1000, 64_000).Draw(t, "cores"), Memory: rapid.Int64Range(1<<28, 64<<30).Draw(t, "total"), Page: 4096,
		Controllers: map[string]Version{"cpu": v.Draw(t, "cpu"), "memory": v.Draw(t, "memory"), "io": v.Draw(t, "io")},
		Groups:      map[string]Group{"": {Others: rapid.Int64Range(0, 2000).Draw(t, "others")}, "a": {Weight: 100, Others: 39}},
	}
}

// Every protected workload keeps its whole minimum when everything on the host
// is in use: no ancestor lets it down.
func TestProtectionReachesTheLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, host := genPlan(t), genHost(t)
		host.Controllers["memory"] = V2
		for _, file := range []string{"memory.min", "memory.low"} {
			set, leaf := map[string]float64{}, map[string]bool{}
			for _, s := range Resolve(plan, host).Settings {
				if s.File == file {
					set[s.Cgroup] = float64(Size(s.File, s.Value))
					leaf[s.Cgroup] = s.Workload != ""
				}
			}
			children := map[string][]string{}
			for path := range set {
				children[parent(path)] = append(children[parent(path)], path)
			}
			var walk func(path string, eff float64)
			walk = func(path string, eff float64) {
				var siblings []protected
				for _, c := range children[path] {
					siblings = append(siblings, protected{usage: set[c] * 2, setting: set[c]})
				}
				for i, e := range effective(eff, 1e18, false, siblings) {
					c := children[path][i]
					if leaf[c] {
						require.InDelta(t, set[c], e, 1, "%s of %s", file, c)
					}
					walk(c, e)
				}
			}
			walk("", math.MaxFloat64)
		}
	})
}

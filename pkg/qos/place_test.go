package qos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

const selectors = head + `workloads:
- {name: acme/shop/db, profile: guaranteed-pro, cpu: {request: 1}, pods: {namespace: acme, kind: StatefulSet, names: [shop-db], container: db}}
- {name: acme/shop/web, profile: burstable, reserved: {cpu: 200m}, cpu: {request: 500m}, pods: {namespace: acme, kind: Deployment, names: [shop-web, shop-web-next], container: web}}
- {name: system/sshd.service, profile: guaranteed-pro, cpu: {request: 100m}, unit: sshd.service}
- {name: plain, profile: burstable, cgroup: d-aros.slice/plain}
`

func containersOf(pods ...string) (all []Member) {
	for _, pod := range pods {
		name := "web"
		if pod[:7] == "shop-db" {
			name = "db"
		}
		all = append(all, Member{Namespace: "acme", Pod: pod, Name: name, Cgroup: "kubepods/pod" + pod + "/main"})
	}
	return all
}

func TestPlaceFindsTheGroupsOfSelectors(t *testing.T) {
	plan, err := Parse([]byte(selectors))
	require.NoError(t, err)
	placed, unplaced := Place(plan, Found{
		"pods": append(containersOf("shop-db-0", "shop-web-5d78c9869d-x7x2b", "shop-web-next-74d9c-bcdfg"),
			Member{Namespace: "evil", Pod: "shop-db-0", Name: "db", Cgroup: "kubepods/podevil/main"}),
		"unit": {{Name: "sshd.service", Cgroup: "system.slice/sshd.service"}},
	})
	require.Empty(t, unplaced)
	groups := map[string]string{}
	for _, w := range placed.Workloads {
		groups[w.Name] = w.Cgroup
	}
	require.Equal(t, map[string]string{
		"acme/shop/db@shop-db-0":                  "kubepods/podshop-db-0/main",
		"acme/shop/web@shop-web-5d78c9869d-x7x2b": "kubepods/podshop-web-5d78c9869d-x7x2b/main",
		"acme/shop/web@shop-web-next-74d9c-bcdfg": "kubepods/podshop-web-next-74d9c-bcdfg/main",
		"system/sshd.service":                     "system.slice/sshd.service",
		"plain":                                   "d-aros.slice/plain",
	}, groups)
	require.Equal(t, model.Resources{CPU: 200}, placed.Workloads[1].Reserved, "each pod has the promise of one")
}

func TestPlaceSaysWhatHasNoGroup(t *testing.T) {
	plan, err := Parse([]byte(selectors))
	require.NoError(t, err)
	placed, unplaced := Place(plan, Found{})
	require.Len(t, placed.Workloads, 1)
	require.Equal(t, []Unplaced{
		{Workload: "acme/shop/db", Reason: "none of its pods is here"},
		{Workload: "acme/shop/web", Reason: "none of its pods is here"},
		{Workload: "system/sshd.service", Reason: "no group of unit sshd.service"},
	}, unplaced)
}

func TestPlaceRefusesGroupsOfOthers(t *testing.T) {
	twice, err := Parse([]byte(selectors + "- {name: other, profile: burstable, pods: {namespace: acme, kind: StatefulSet, names: [shop-db], container: db}}\n" +
		"- {name: system/kubepods.slice, profile: guaranteed-pro, cpu: {request: 1}, unit: kubepods.slice}\n"))
	require.NoError(t, err)
	placed, unplaced := Place(twice, Found{
		"pods": containersOf("shop-db-0", "shop-web-5d78c9869d-x7x2b"),
		"unit": {{Name: "sshd.service", Cgroup: "init.scope"}, {Name: "kubepods.slice", Cgroup: "kubepods"}},
	})
	require.Len(t, placed.Workloads, 2, "the web pod and the plain group")
	reasons := ""
	for _, u := range unplaced {
		require.True(t, u.Refused, u)
		reasons += u.Workload + ": " + u.Reason + "\n"
	}
	require.Equal(t, `acme/shop/db@shop-db-0: kubepods/podshop-db-0/main is also what other@shop-db-0 selects: a group belongs to one workload
other@shop-db-0: kubepods/podshop-db-0/main is also what acme/shop/db@shop-db-0 selects: a group belongs to one workload
system/kubepods.slice: kubepods has the group of acme/shop/db@shop-db-0 in it: name the innermost groups
system/sshd.service: cgroup "init.scope" belongs to the host's init
`, reasons)
}

// A plan that is encoded reads back as it was, whatever it promises.
func TestEncodeAndParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := Plan{Source: rapid.StringMatching(`[0-9a-f]{0,40}`).Draw(t, "source"), System: model.Resources{CPU: rapid.Int64Range(0, 9999).Draw(t, "system")}}
		profiles := append(model.BuiltinQoSProfiles(), model.QoSProfile{Name: "own", Rank: 7, CPU: model.QoSCPU{Weight: 3}, IO: model.QoSIO{Weight: 9}})
		profiles = append(profiles, model.QoSProfile{
			Name: "batch", CPU: model.QoSCPU{Suppress: 65, Set: "0-8191"}, HugePages: model.QoSHugePages{Of2Mi: 2 << 20, Of1Gi: 1 << 30}, Memory: model.QoSMemory{Reclaim: true, OOMGroup: true},
			IO: model.QoSIO{Read: 10 << 20, Write: 1500, ReadOps: 7, WriteOps: 8, Latency: 20, Yield: true}, Pids: model.QoSPids{Max: 100},
		})
		if rapid.Bool().Draw(t, "redefined") {
			profiles[1].CPU.Weight = 17 // as a platform may
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "workloads") {
			w := Workload{
				Name: fmt.Sprintf("acme/app%d/db", i), Profile: rapid.SampledFrom(profiles).Draw(t, "profile"),
				Priority: rapid.IntRange(0, 1000).Draw(t, "priority"), Source: plan.Source, Hold: i == 3,
				Request: model.Resources{CPU: rapid.Int64Range(1, 1e6).Draw(t, "cpu"), Memory: rapid.Int64Range(1, 1e12).Draw(t, "memory")},
			}
			w.Limit = w.Request
			w.Reserved = model.Resources{CPU: rapid.Int64Range(1, w.Request.CPU).Draw(t, "reserved"), Memory: rapid.Int64Range(0, w.Request.Memory).Draw(t, "kept")}
			if bits := rapid.Int64Range(0, 1e9).Draw(t, "bits"); bits > 0 {
				w.Reserved = w.Reserved.With(model.NetworkResource, bits)
			}
			if bytes := rapid.Int64Range(0, 1e9).Draw(t, "bytes"); bytes > 0 {
				w.Reserved = w.Reserved.With(model.DiskResource, bytes)
			}
			switch rapid.IntRange(0, 2).Draw(t, "sort") {
			case 0:
				w.Cgroup = fmt.Sprintf("d-aros.slice/%d", i)
			case 1:
				w.Selector = Unit(fmt.Sprintf("a%d.service", i))
			default:
				w.Selector = Pods{Namespace: "acme", Kind: "Deployment", Names: []string{"a", "a-next"}, Container: "db"}
			}
			plan.Workloads = append(plan.Workloads, w)
		}
		document := Encode(plan)
		back, err := Parse(document)
		if err != nil {
			t.Fatalf("%s\n%s", err, document)
		}
		require.Equal(t, plan, back)
		require.Equal(t, document, Encode(back))
	})
}

func TestEncodeLeavesOutTheLeastImportant(t *testing.T) {
	var plan Plan
	profiles := model.BuiltinQoSProfiles()
	for i := range maxWorkloads + 100 {
		plan.Workloads = append(plan.Workloads, Workload{Name: fmt.Sprintf("acme/a%d/db", i), Selector: Unit(fmt.Sprintf("a%d.service", i)), Profile: profiles[i%len(profiles)]})
	}
	document := Encode(plan)
	require.Less(t, len(document), MaxDocument)
	back, err := Parse(document)
	require.NoError(t, err)
	require.Len(t, back.Workloads, maxWorkloads)
	require.Equal(t, 100, back.Omitted)
	ranks := map[string]int{}
	for _, w := range back.Workloads {
		ranks[w.Profile.Name]++
	}
	require.Equal(t, (maxWorkloads+100)/4-100, ranks[model.BestEffort], "only these are left out: %v", ranks)
}

package qos

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

const head = "apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\n"

const example = head + `source: 8f3c
system: {cpu: 500m, memory: 1Gi}
profiles:
- name: batch
  rank: 5
  cpu: {weight: 10, quota: 50}
workloads:
- name: acme/shop/db
  cgroup: d-aros.slice/acme/shop-db
  profile: guaranteed-pro
  priority: 300
  cpu: {request: 1, limit: "2"}
  memory: {request: 2Gi, limit: 4Gi}
  reserved: {cpu: 500m, memory: 1Gi}
- {name: acme/shop/cache, cgroup: d-aros.slice/acme/shop-cache, profile: guaranteed-pro, cpu: {request: 0.5}, memory: {request: 1G}}
- {name: acme/reports, cgroup: d-aros.slice/acme/reports, profile: batch, cpu: {request: 1.5}}
`

func TestParse(t *testing.T) {
	plan, err := Parse([]byte(example))
	require.NoError(t, err)
	require.Equal(t, "8f3c", plan.Source)
	require.Equal(t, model.Resources{CPU: 500, Memory: 1 << 30}, plan.System)
	require.Len(t, plan.Workloads, 3)
	db, cache, reports := plan.Workloads[0], plan.Workloads[1], plan.Workloads[2]
	require.Equal(t, model.Resources{CPU: 1000, Memory: 2 << 30}, db.Request)
	require.Equal(t, model.Resources{CPU: 2000, Memory: 4 << 30}, db.Limit)
	require.Equal(t, model.Resources{CPU: 500, Memory: 1 << 30}, db.Reserved)
	require.Equal(t, 300, db.Priority)
	require.Equal(t, cache.Request, cache.Reserved, "a profile that reserves reserves the request unless told otherwise")
	require.Equal(t, int64(1500), reports.Request.CPU)
	require.Equal(t, model.Percent(50), reports.Profile.CPU.Quota)
}

func TestParseReadsJSON(t *testing.T) {
	plan, err := Parse([]byte(`{"apiVersion":"d-aros.dev/v1alpha1","kind":"NodePlan","workloads":[{"name":"a","cgroup":"a","profile":"burstable","cpu":{"request":"250m"}}]}`))
	require.NoError(t, err)
	require.Equal(t, int64(250), plan.Workloads[0].Request.CPU)
}

func TestParseRefuses(t *testing.T) {
	w := func(fields string) string {
		return head + "workloads:\n- {name: a, cgroup: x/a, profile: burstable}\n- {" + fields + "}\n"
	}
	for _, c := range []struct{ plan, want string }{
		{"", "plan is empty"},
		{"kind: Pod\napiVersion: v1\n", `plan: apiVersion "v1", kind "Pod": this agent reads d-aros.dev/v1alpha1 NodePlan`},
		{head + "---\n" + head, "plan: one document per file"},
		{head + "workload: []\n", "plan: line 3: field workload not found in a plan"},
		{w("name: b, cgroup: b, profile: burstable, cpus: 1"), "plan: line 5: field cpus not found in a workload"},
		{w("name: b, name: c, cgroup: b"), "already defined"},
		{w("name: b, cgroup: b, profile: gold"), `plan: line 5: workload "b": profile "gold" is neither built in nor declared`},
		{w("name: a, cgroup: b, profile: burstable"), `workload "a": the name is taken`},
		{w("cgroup: b, profile: burstable"), "a workload needs a printable name"},
		{w("name: b, cgroup: x/a, profile: burstable"), `cgroup x/a belongs to workload "a"`},
		{w("name: b, cgroup: x/a/b, profile: burstable"), `workload "b": cgroup x/a/b lies inside that of workload "a"`},
		{w("name: b, cgroup: b, profile: burstable, cpu: {request: 2x}"), `line 5: workload "b" request cpu: "2x" is not an amount`},
		{w("name: b, cgroup: b, profile: burstable, cpu: {request: [1]}"), "line 5: want a single value"},
		{w("name: b, cgroup: b, profile: burstable, cpu: {request: -1}"), "is not an amount"},
		{w("name: b, cgroup: b, profile: burstable, memory: {request: 2Pi}"), "more than any machine has"},
		{w("name: b, cgroup: b, profile: burstable, cpu: {request: 2, limit: 1}"), "cpu request is above its limit"},
		{w("name: b, cgroup: b, profile: burstable, reserved: {cpu: 2}, cpu: {request: 1}"), `workload "b": cpu reserved is above its request`},
		{w("name: b, cgroup: b, profile: guaranteed-pro, reserved: {cpu: 2}, cpu: {request: 1}"), "cpu reserved is above its request"},
		{w("name: b, cgroup: b, profile: burstable, network: {device: eth0}"), "plan: line 5: field network not found in a workload"},
		{w("name: b, cgroup: b, profile: burstable, reserved: {disk: 1x}"), `line 5: workload "b" reserved disk: "1x" is not an amount`},
		{head + "profiles: [{name: p, network: {device: eth0}}]\n", "field device not found"},
		{head + "profiles: [{name: p, network: {pin: /sys/fs/bpf/x}}]\n", "field pin not found"},
		{head + "profiles: [{name: p, network: {qdisc: htb}}]\n", "field qdisc not found"},
		{head + "profiles: [{name: p, cpu: {weight: 20000}}]\n", `profile "p": cpu.weight is 20000, want 0 to 10000`},
		{head + "profiles: [{name: p, cpu: {set: 1-}}]\n", `profile "p": cpu.set "1-" is no list of processors such as 0-2,7`},
		{head + "profiles: [{name: p, io: {read: -1}}]\n", `"-1" is not an amount`},
		{head + "profiles: [{name: p, pids: {max: 2000000}}]\n", `profile "p": pids.max is 2000000, want 0 to 1000000`},
		{head + "profiles: [{name: p}, {name: p}]\n", `profile "p" is declared twice`},
		{head + "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n", "not found in a plan"},
		{strings.Repeat(" ", MaxDocument+1), "at most"},
	} {
		_, err := Parse([]byte(c.plan))
		require.ErrorContains(t, err, c.want)
	}
}

// No beginning of a plan that the reconciler writes is a plan: one that was cut off takes nothing back.
func TestPlanThatIsCutOff(t *testing.T) {
	plan, err := Parse([]byte(example))
	require.NoError(t, err)
	whole := Encode(plan)
	_, err = Parse(whole)
	require.NoError(t, err)
	for n := range len(strings.TrimSpace(string(whole))) {
		_, err := Parse(whole[:n])
		require.Error(t, err, "%s", whole[:n])
	}
}

func TestMostWorkloads(t *testing.T) {
	many := func(n int) []byte {
		var b strings.Builder
		b.WriteString(head + "workloads:\n")
		for i := range n {
			fmt.Fprintf(&b, "- {name: w%d, cgroup: x/w%d, profile: guaranteed-pro, cpu: {request: 1m}, memory: {request: 1Mi}}\n", i, i)
		}
		return []byte(b.String())
	}
	plan, err := Parse(many(maxWorkloads))
	require.NoError(t, err)
	e := Resolve(plan, Host{CPU: 8000, Memory: 16 << 30, Page: 4096, Controllers: map[string]Version{"cpu": V2, "memory": V2}})
	require.Len(t, e.Shares, maxWorkloads)
	_, err = Parse(many(maxWorkloads + 1))
	require.ErrorContains(t, err, "at most 4096")
}

func TestCheckCgroup(t *testing.T) {
	for _, path := range []string{"a", "d-aros.slice/acme/web", "kubepods.slice/kubepods-burstable.slice/cri-containerd-0.scope", `system.slice/a\x2db.service`} {
		require.NoError(t, checkCgroup(path))
	}
	for _, path := range []string{"", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "../a", "a/./b", "init.scope", "init.scope/a", "a/cgroup.procs", "a\x00b", "a\nb",
		strings.Repeat("a", 256), strings.Repeat("a/", 33) + "a", strings.Repeat("abcdefgh/", 200)} {
		require.Error(t, checkCgroup(path), "%q", path)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(head + "workloads: [{name: a, cgroup: ../a, profile: burstable}]"))
	f.Add([]byte(head + "profiles: [{name: p, memory: {high: 90}}]"))
	f.Add([]byte(selectors))
	f.Add([]byte(head + "workloads: [{name: a, profile: burstable, pods: &p {namespace: a, kind: Job, names: [b], container: c}}, {name: b, profile: burstable, pods: *p, unit: }]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := Parse(data)
		if err != nil {
			return
		}
		for _, w := range plan.Workloads {
			named := checkCgroup
			if w.Selector != nil {
				named = func(string) error { return w.Selector.Check() }
			}
			if named(w.Cgroup) != nil || !w.ofMachine().Fits(w.Request) || w.Request.CPU < 0 || w.Request.Memory < 0 {
				t.Fatalf("accepted %+v", w)
			}
		}
		Resolve(plan, Host{CPU: 8000, Memory: 16 << 30, Page: 4096, Controllers: map[string]Version{"cpu": V1, "memory": V2, "io": V2}})
	})
}

// The plan that the documentation shows is one.
func TestDocumentedPlan(t *testing.T) {
	page, err := os.ReadFile("../../docs/qos.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	doc, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	plan, err := Parse([]byte(doc))
	require.NoError(t, err)
	require.Len(t, plan.Workloads, 1)
}

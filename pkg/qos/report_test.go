package qos_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/text"
)

// A host that is too small says of each reservation how much of it is left, under the name of
// the plan, and what it says is read back.
func TestReportOfASmallHost(t *testing.T) {
	pro := model.BuiltinQoSProfiles()[3]
	reserved := model.Resources{CPU: 250, Memory: 1 << 30}
	plan := qos.Plan{Workloads: []qos.Workload{
		{Name: "acme/shop/web@shop-web-1", Cgroup: "pods/a", Profile: pro, Request: reserved, Reserved: reserved},
		{Name: "acme/shop/web@shop-web-2", Cgroup: "pods/b", Profile: pro, Request: reserved, Reserved: reserved},
	}}
	of := func(cpu int64) qos.Report {
		var all []qos.Shortfall
		for _, d := range qos.Resolve(plan, qos.Host{CPU: cpu, Memory: 64 << 30, Page: 4096, Controllers: map[string]qos.Version{"cpu": qos.V2, "memory": qos.V2}}).Degradations {
			all = append(all, d.ReducedBy()...)
		}
		return qos.NewReport(all)
	}
	r := of(400)
	require.Equal(t, []qos.Shortfall{
		{Workload: "acme/shop/web", Resource: "cpu", Promised: 250, Reason: "asks for 250m cpu, the host has 149m left to promise"},
		{Workload: "acme/shop/web", Resource: "memory", Promised: 1 << 30, Reason: "asks for 250m cpu, the host has 149m left to promise"},
	}, r.Shortfalls)
	back, err := qos.ParseReport(r.Encode())
	require.NoError(t, err)
	require.Equal(t, r, back)
	require.Empty(t, of(4000).Encode(), "who keeps everything has nothing to say, whatever else the host degrades")
}

// A kernel without protection of memory keeps nothing of a reservation of it.
func TestReportOfAHostThatCannotProtectMemory(t *testing.T) {
	w := qos.Workload{Name: "acme/shop/db", Cgroup: "db", Profile: model.BuiltinQoSProfiles()[3], Request: model.Resources{Memory: 1 << 30}, Reserved: model.Resources{Memory: 1 << 30}}
	var all []qos.Shortfall
	for _, d := range qos.Resolve(qos.Plan{Workloads: []qos.Workload{w}}, qos.Host{CPU: 4000, Memory: 64 << 30, Page: 4096, Controllers: map[string]qos.Version{"cpu": qos.V1, "memory": qos.V1}}).Degradations {
		all = append(all, d.ReducedBy()...)
	}
	require.Equal(t, []qos.Shortfall{{Workload: "acme/shop/db", Resource: "memory", Promised: 1 << 30, Reason: "cgroup v1 has no such knob"}}, all)
}

// Where the kernel does not tell who waits for memory, a reservation is kept, and nobody looks whether it is.
func TestReservationsThatNobodyVerifies(t *testing.T) {
	w := qos.Workload{Name: "db", Cgroup: "db", Profile: model.BuiltinQoSProfiles()[3], Request: model.Resources{Memory: 1 << 30}, Reserved: model.Resources{Memory: 1 << 30}}
	host := qos.Host{CPU: 4000, Memory: 64 << 30, Page: 4096, Controllers: map[string]qos.Version{"cpu": qos.V2, "memory": qos.V2}}
	said := func() (all []string) {
		for _, d := range qos.Resolve(qos.Plan{Workloads: []qos.Workload{w}}, host).Degradations {
			require.Empty(t, d.ReducedBy())
			if d.Promise == qos.ReservedMemory {
				all = append(all, d.Reason)
			}
		}
		return all
	}
	require.Empty(t, said())
	host.Lacks = []string{"memory.pressure"}
	require.Equal(t, []string{"nobody looks whether it is kept: the kernel does not tell who waits for memory: it needs pressure files (psi=1) and cgroup v2"}, said())
}

// A node says who took the processors, and which settings its kernel refuses.
func TestReportOfBrokenPromisesAndRefusals(t *testing.T) {
	b := qos.Broken{Workload: "acme/shop/web@shop-web-1", Promise: qos.ReservedCPU, Reserved: 2000, Got: 250, By: []qos.Took{{Who: "user@0.service", Amount: 1500}}}
	u := qos.Unplaced{Workload: "acme/shop/db", Refused: true, Reason: "another selects it"}
	require.Equal(t, []qos.Shortfall{
		{Workload: "acme/shop/db", Setting: "cgroup", Reason: "another selects it"},
		{Workload: "acme/shop/web", Setting: "cpu.max", Reason: "invalid argument"},
		{Workload: "acme/shop/web", Resource: "cpu", Promised: 2000, Kept: 250, Reason: "it waits for processors and does not get them; user@0.service took 1500m"},
	}, qos.NewReport([]qos.Shortfall{b.Shortfall(), u.Shortfall(), qos.RefusedSetting(qos.Setting{Workload: b.Workload, File: "cpu.max"}, "invalid argument")}).Shortfalls)
}

// However much there is to say, a report can be read back, and counts what it leaves out.
func TestReportIsBounded(t *testing.T) {
	for _, n := range []int{1, 64, 65, 5000} {
		var all []qos.Shortfall
		for i := range n {
			name := "acme/" + strings.Repeat("x", 50) + "/" + strings.Repeat("y", i%50) + string(rune('a'+i%26))
			all = append(all, qos.Shortfall{Workload: name, Resource: "cpu", Promised: 9, Reason: strings.Repeat("because ", 1000)})
		}
		r := qos.NewReport(all)
		require.LessOrEqual(t, len(r.Encode()), qos.MaxReport)
		back, err := qos.ParseReport(r.Encode())
		require.NoError(t, err)
		require.Equal(t, r, back)
	}
}

// A report may come from a node that somebody else controls.
func TestHostileReports(t *testing.T) {
	wrap := func(shortfall string) string {
		return `{"apiVersion": "d-aros.dev/v1alpha1", "kind": "NodeReport", "shortfalls": [` + shortfall + `]}`
	}
	good := `{"workload": "a/b/c", "resource": "cpu", "promised": 2, "kept": 1, "reason": "x"}`
	_, err := qos.ParseReport(wrap(good))
	require.NoError(t, err)
	for _, document := range []string{
		"", "null", "[]", "{}", `{"apiVersion": "d-aros.dev/v2", "kind": "NodeReport"}`, wrap(good) + wrap(good), strings.Repeat(" ", qos.MaxReport) + wrap(good),
		wrap(strings.Repeat(good+",", 64) + good),
		wrap(`{"workload": "a/b/c", "reason": "about nothing"}`),
		wrap(`{"workload": "a/b/c", "resource": "cpu", "promised": 1, "kept": 1}`),
		wrap(`{"workload": "a/b/c", "resource": "cpu", "promised": 1, "kept": -1}`),
		wrap(`{"workload": "a/b/c", "resource": "gold", "promised": 1}`),
		wrap(`{"workload": "a/b/c", "setting": "cgroup.procs"}`),
		wrap(`{"workload": "a/b/c", "resource": "cpu", "promised": 1, "evict": true}`),
		strings.Replace(wrap(good), `"kind"`, `"omitted": -1, "kind"`, 1),
	} {
		_, err := qos.ParseReport(document)
		require.Error(t, err, "%s", document)
	}
	r, err := qos.ParseReport(wrap(`{"workload": "a/b/c", "setting": "cpu.max", "reason": "\u001b[2Jgone\u202e\n` + strings.Repeat("x", 5000) + `"}`))
	require.NoError(t, err)
	require.True(t, text.Valid(r.Shortfalls[0].Reason))
	require.Less(t, len(r.Shortfalls[0].Reason), 500)
}

func FuzzParseReport(f *testing.F) {
	f.Add(`{"apiVersion":"d-aros.dev/v1alpha1","kind":"NodeReport","shortfalls":[{"workload":"a/b/c","resource":"cpu","promised":2,"reason":"x"}]}`)
	f.Fuzz(func(t *testing.T, document string) {
		r, err := qos.ParseReport(document)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(r.Shortfalls), 64)
		for _, s := range r.Shortfalls {
			require.True(t, text.Valid(s.Reason))
		}
	})
}

//go:build linux

package process_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// report writes the report of a host that nobody is.
func report(t *testing.T, dir, name, zone string, age time.Duration) {
	t.Helper()
	r := hostplan.Report{Host: name, Pool: "hosts", Labels: map[string]string{"zone": zone}, Capacity: model.Resources{CPU: 1000, Memory: 1 << 30}, Processes: []hostplan.Process{}}
	data, err := r.Encode()
	require.NoError(t, err)
	file := filepath.Join(dir, "hosts", "hosts", name+".json")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, data, 0o600))
	at := time.Now().Add(-age)
	require.NoError(t, os.Chtimes(file, at, at))
}

// component is a worker with replicas in the pool.
func component(name string, replicas int, cpu int64, spread *model.Spread) runtime.Assignment {
	c := model.Component{
		Name: name, Type: "worker", Runtime: "process", OS: "linux", Replicas: replicas, Requests: model.Resources{CPU: cpu}, QoS: model.Burstable,
		Placement: model.Placement{Spread: spread}, Properties: []byte(`{"command":["/bin/sh"]}`),
	}
	app := model.AppID{Tenant: "acme", Name: name}
	spec := model.Application{ID: app, Components: []model.Component{c}}
	g := model.Grant{Component: name, Replicas: replicas, Requests: c.Requests, QoS: c.QoS, Pool: "hosts"}
	state := model.ComponentState{Grant: g, Run: replicas, Workload: model.WorkloadDigest(&c, g, replicas)}
	inst := &model.Instance{App: app, Number: 1, Phase: model.PhaseScheduled, Spec: &spec, Components: []model.ComponentState{state}}
	return runtime.Assignment{App: app, Instance: inst, Platform: platform, Components: []runtime.Component{{Component: &c, Want: runtime.Running, State: state}}}
}

// placed returns where the plan has the replicas of each workload.
func placed(t *testing.T, dir string) map[string]map[string]int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "hosts", "plan.json"))
	require.NoError(t, err)
	var p hostplan.Plan
	require.NoError(t, json.Unmarshal(data, &p))
	all := map[string]map[string]int{}
	for _, w := range p.Workloads {
		all[w.Component] = map[string]int{}
		for _, place := range w.Hosts {
			all[w.Component][place.Host] = place.Replicas
		}
	}
	return all
}

// TestPlaces: replicas spread over domains and hosts, keep their places, and go where there is
// room when their host is away.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	for name, zone := range map[string]string{"h1": "a", "h2": "a", "h3": "b"} {
		report(t, dir, name, zone, 0)
	}
	r := open(t, dir)
	act := func(a ...runtime.Assignment) runtime.Report {
		report := r.Act(t.Context(), a)
		require.NoError(t, report.Err)
		return report
	}
	act(component("web", 3, 100, nil))
	require.Equal(t, map[string]int{"h1": 1, "h2": 1, "h3": 1}, placed(t, dir)["web"])
	act(component("zones", 2, 100, &model.Spread{Over: "zone", Min: 2}))
	require.Equal(t, map[string]int{"h1": 1, "h3": 1}, placed(t, dir)["zones"])
	act(component("web", 2, 100, nil))
	require.Equal(t, map[string]int{"h1": 1, "h2": 1}, placed(t, dir)["web"], "the others keep their places")
	act(component("large", 4, 700, nil))
	require.Equal(t, map[string]int{"h1": 1, "h2": 1, "h3": 1}, placed(t, dir)["large"], "what finds no room waits")
	seen, err := r.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Equal(t, 3, seen.Pools[0].Nodes)
	require.Len(t, seen.Pools[0].Domains, 2)
	require.Equal(t, "no host of pool hosts has room for 1 of 4 replicas", seen.Workloads[0].Why)
	require.Equal(t, model.ClassInfrastructure, seen.Workloads[0].Failure.Class)

	report(t, dir, "h2", "a", time.Hour)
	require.Contains(t, r.Drifted(), model.AppID{Tenant: "acme", Name: "web"})
	require.Empty(t, r.Drifted(), "once")
	act(component("web", 2, 100, nil))
	require.Equal(t, map[string]int{"h1": 1, "h3": 1}, placed(t, dir)["web"])
	act(component("large", 4, 700, nil))
	require.Equal(t, map[string]int{"h1": 1, "h2": 1, "h3": 1}, placed(t, dir)["large"], "what finds no other place waits for its host")
	seen, err = r.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Equal(t, 2, seen.Pools[0].Nodes)
	require.Equal(t, int64(2000), seen.Pools[0].Capacity.CPU)
}

// TestWithoutAGrant: a component that is granted nothing, not even a pool, is stopped where it is.
func TestWithoutAGrant(t *testing.T) {
	dir := t.TempDir()
	report(t, dir, "h1", "a", 0)
	r := open(t, dir)
	off := component("web", 0, 100, nil)
	off.Components[0].Want, off.Components[0].State.Grant.Pool = runtime.Stopped, ""
	r.Act(t.Context(), []runtime.Assignment{off})
	require.NoFileExists(t, filepath.Join(dir, "hosts", "plan.json"))
	r.Act(t.Context(), []runtime.Assignment{component("web", 2, 100, nil)})
	require.Equal(t, map[string]int{"h1": 2}, placed(t, dir)["web"])
	r.Act(t.Context(), []runtime.Assignment{off})
	require.Equal(t, map[string]map[string]int{"web": {}}, placed(t, dir))
}

// TestWhatHostsWrite: whatever stands in place of a report, its host is away and the others count.
func TestWhatHostsWrite(t *testing.T) {
	dir := t.TempDir()
	report(t, dir, "h1", "a", 0)
	hosts := filepath.Join(dir, "hosts", "hosts")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(hosts, "h2.json")))
	require.NoError(t, os.Mkdir(filepath.Join(hosts, "h3.json"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(hosts, "h4.json"), []byte("{"), 0o600))
	require.NoError(t, os.Truncate(filepath.Join(hosts, "h4.json"), 1<<30))
	good, err := os.ReadFile(filepath.Join(hosts, "h1.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(hosts, "h5.json"), good, 0o600)) // of another name
	r := open(t, dir)
	seen, err := r.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Equal(t, 1, seen.Pools[0].Nodes)
}

// TestDirectoryThatIsNotThere: nothing is written where no host ever reported, and a plan that is
// gone while hosts keep one is not begun anew, because that would stop what they run.
func TestDirectoryThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	require.ErrorContains(t, r.Act(t.Context(), []runtime.Assignment{component("web", 1, 100, nil)}).Err, "no host has reported")
	_, err := r.Inspect(t.Context(), platform)
	require.ErrorContains(t, err, "no host has reported")
	report(t, dir, "h1", "a", 0)
	file := filepath.Join(dir, "hosts", "hosts", "h1.json")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	kept, err := hostplan.ParseReport(data)
	require.NoError(t, err)
	kept.Generation = 7
	data, err = kept.Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	require.ErrorContains(t, r.Act(t.Context(), []runtime.Assignment{component("web", 1, 100, nil)}).Err, "its hosts keep generation 7: bring it back")
	require.NoFileExists(t, filepath.Join(dir, "hosts", "plan.json"))
}

package wasm

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

var shop = model.AppID{Tenant: "acme", Name: "shop"}

// assign wants replicas of a component that runs a module of the test.
func assign(app model.AppID, name string, replicas int) []runtime.Assignment {
	c := model.Component{Name: "web", Type: "worker", Runtime: "wasm", OS: "linux", Replicas: replicas, Properties: properties(name)}
	spec := &model.Application{ID: app, Components: []model.Component{c}}
	state := model.ComponentState{Run: replicas, Workload: model.Digest(name), Grant: model.Grant{Component: "web", Replicas: replicas, Pool: "modules"}}
	return []runtime.Assignment{{
		App: app, Instance: &model.Instance{App: app, Phase: model.PhaseScheduled, Spec: spec, Components: []model.ComponentState{state}},
		Components: []runtime.Component{{Component: &spec.Components[0], Want: runtime.Running, State: state}}, Platform: platform,
	}}
}

// until waits until what is seen of an application is as wanted.
func until(t *testing.T, r *Runtime, app model.AppID, want func(model.Workload) bool) model.Workload {
	t.Helper()
	for limit := time.After(patience); ; {
		seen, err := r.Inspect(t.Context(), platform)
		require.NoError(t, err)
		for _, w := range seen.Workloads {
			if w.App == app && want(w) {
				return w
			}
		}
		select {
		case <-r.Changed():
		case <-limit:
			require.FailNow(t, "it never came", "%+v", seen.Workloads)
		}
	}
}

// TestAttackModulesCostNobodyElse: modules that take all the memory they get, never give a processor
// back or are no modules are failures of their own, while that of another tenant runs.
func TestAttackModulesCostNobodyElse(t *testing.T) {
	r := open(t)
	files["broken.wasm"] = &fstest.MapFile{Data: []byte("\x00asm\x01\x00\x00\x00\x0a\xff\xff\xff\xff\x0f")}
	other := model.AppID{Tenant: "globex", Name: "site"}
	for name, why := range map[string]string{"grows.wasm": "unreachable", "traps.wasm": "unreachable", "broken.wasm": "it is no module that can run"} {
		app := model.AppID{Tenant: "acme", Name: strings.TrimSuffix(name, ".wasm")}
		require.True(t, filed{r}.Act(t.Context(), assign(app, name, 1)).Outcomes[0].OK())
		w := until(t, r, app, func(w model.Workload) bool { return w.Failure != nil })
		require.Equal(t, model.ClassRuntime, w.Failure.Class)
		require.Contains(t, w.Failure.Message, why)
	}
	filed{r}.Act(t.Context(), assign(shop, "endless.wasm", 2))
	filed{r}.Act(t.Context(), assign(other, "endless.wasm", 1))
	until(t, r, other, func(w model.Workload) bool { return w.Ready == 1 })
	until(t, r, shop, func(w model.Workload) bool { return w.Ready == 2 })

	more := model.AppID{Tenant: "acme", Name: "more"}
	o := filed{r}.Act(t.Context(), assign(more, "endless.wasm", maxReplicas)).Outcomes[0]
	require.Equal(t, runtime.Failed, o.Results[0].Action)
	require.Contains(t, o.Results[0].Message, "and may have 64")
}

// TestPins: a module runs only with the digest that its component pins, from the directory of its application.
func TestPins(t *testing.T) {
	r := open(t)
	for properties, why := range map[string]string{
		`{"module":"endless.wasm","digest":"sha256:00"}`: "and its component pins sha256:00",
		`{"module":"none.wasm","digest":"sha256:00"}`:    "has no file none.wasm",
		`{"module":"../three.wasm","digest":"sha256:0"}`: "has no file ../three.wasm",
		`{"module":"large.wasm","digest":"sha256:00"}`:   "is larger than 8 MiB",
	} {
		files["large.wasm"] = &fstest.MapFile{Data: make([]byte, maxModule+1)}
		a := assign(shop, "endless.wasm", 1)
		a[0].Components[0].Properties = []byte(properties)
		o := filed{r}.Act(t.Context(), a).Outcomes[0]
		require.Equal(t, runtime.Failed, o.Results[0].Action)
		require.Equal(t, model.OutcomeInvalid, o.Results[0].Reason)
		require.Contains(t, o.Results[0].Message, why)
	}
}

// TestLogsAreBounded: what a module says is kept as far as two files go.
func TestLogsAreBounded(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l := openLog(name)
	for range 40 {
		n, err := l.Write(bytes.Repeat([]byte("x"), maxLog/10))
		require.NoError(t, err)
		require.Equal(t, maxLog/10, n)
	}
	require.NoError(t, l.Close())
	for _, file := range []string{name, name + ".1"} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(maxLog))
	}
}

// TestCrashAnywhere: a process that is killed in the middle of Act, after any number of its calls,
// leaves no module behind, and the next one begins all of them.
func TestCrashAnywhere(t *testing.T) {
	for calls := range 4 {
		cmd := exec.Command(launcher, "reconciler", fmt.Sprint(calls))
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		scan := bufio.NewScanner(out)
		for scan.Scan() && scan.Text() != "acting" {
		}
		var children []byte
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid))
		for _, task := range tasks {
			more, _ := os.ReadFile(task)
			children = append(append(children, ' '), more...)
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		for _, pid := range strings.Fields(string(children)) {
			require.Eventually(t, func() bool {
				data, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
				return err != nil || strings.Contains(string(data), ") Z ")
			}, patience, 10*time.Millisecond)
		}
		r := open(t)
		for i := range 4 {
			app := model.AppID{Tenant: "acme", Name: fmt.Sprint("a", i)}
			require.Equal(t, runtime.Created, filed{r}.Act(t.Context(), assign(app, "endless.wasm", 1)).Outcomes[0].Results[0].Action)
			until(t, r, app, func(w model.Workload) bool { return w.Ready == 1 })
		}
		r.Close()
	}
}

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/nomadtest"
)

// endless is a module that runs until it is ended: its _start is a loop.
const endless = "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x05\x03\x01\x00\x01" +
	"\x07\x13\x02\x06memory\x02\x00\x06_start\x00\x00\x0a\x09\x01\x07\x00\x03\x40\x0c\x00\x0b\x0b"

// TestRunOfModulesAndNomad runs the whole program over a fleet of a module and of jobs of Nomad, without a cluster: what
// it runs and sees is on the status branch; one that is killed while it registers a job takes its modules with it and
// leaves the jobs; the next one begins the module again, registers what is missing, and nothing twice; what is removed from
// Git goes; and at its end its modules end, and the jobs stay. Neither its log nor the branch tells the token.
func TestRunOfModulesAndNomad(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it runs the whole program twice")
	}
	const token = "CANARY-91b2"
	server := nomadtest.New()
	server.Token = token
	p := &program{t: t, repo: gittest.New(t), dir: t.TempDir()}
	p.repo.Git("checkout", "-q", "-b", "main")
	require.NoError(t, os.CopyFS(filepath.Join(p.repo.Dir, "cue.mod"), os.DirFS("../../examples/repo/cue.mod")))
	p.repo.Write("fleet.cue", `package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "outside"
	policy: {
		images: registries: ["registry.example.com"]
		runtimes: ["wasm", "nomad"]
		defaults: {priority: 100, startDeadline: "10m"}
	}
	pools: modules: {runtimes: ["wasm"], capacity: {cpu: "2", memory: "2Gi"}}
	pools: nomads: runtimes: ["nomad"]
	allotments: acme: quota: {cpu: "4", memory: "4Gi"}
}
`)
	p.repo.Write("tenants/acme/tenant.cue", "package fleet\n\ntenant: name: \"acme\"\n")
	p.repo.Write("tenants/acme/apps/filter/bin/filter.wasm", endless)
	p.app("filter", fmt.Sprintf(`type: "worker", runtime: "wasm", resources: requests: {cpu: "100m", memory: "16Mi"}, properties: {module: "bin/filter.wasm", digest: "sha256:%x"}`, sha256.Sum256([]byte(endless))), "web")
	p.app("far", nomadJob, "web")
	p.repo.Commit("a module and a job")
	p.args = []string{"--nomad-address", server.Start(t), "--nomad-token-file", filepath.Join(p.dir, "token"), "--wasm-dir", filepath.Join(p.dir, "modules")}
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "token"), []byte(token+"\n"), 0o600))
	branch, err := status.Open(t.Context(), status.Options{URL: p.repo.Dir, Dir: filepath.Join(p.dir, "watch")})
	require.NoError(t, err)
	t.Cleanup(func() { _ = branch.Close() })
	p.branch = branch

	p.start()
	p.until("both run", func(l *model.Ledger) bool { return p.ready(l, "filter", 1) && p.ready(l, "far", 1) })
	first := p.modules()
	require.Len(t, first, 1)
	require.FileExists(t, filepath.Join(p.dir, "modules", "acme.filter.web.0.log"))

	var killed atomic.Bool
	server.Lock()
	server.Before = func(r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/jobs") && len(server.Jobs) == 2 && killed.CompareAndSwap(false, true) {
			_ = p.cmd.Process.Kill()
			return false
		}
		return true
	}
	server.Unlock()
	p.app("more", nomadJob, "a", "b")
	p.repo.Commit("an application of two jobs")
	require.ErrorContains(t, p.wait(), "killed")
	require.True(t, killed.Load())
	p.eventually("its module is gone, too", func() bool { return !alive(first[0]) })
	server.Lock()
	require.Len(t, server.Jobs, 2, "the job of far, and one of more")
	server.Unlock()

	p.start()
	p.until("all three run", func(l *model.Ledger) bool {
		return p.ready(l, "filter", 1) && p.ready(l, "far", 1) && p.ready(l, "more", 2)
	})
	p.eventually("the module is begun again", func() bool { return len(p.modules()) == 1 })
	second := p.modules()
	require.NotEqual(t, first, second)
	server.Lock()
	require.Len(t, server.Jobs, 3)
	for name, j := range server.Jobs {
		require.Zero(t, j["Version"], "%s was registered twice", name)
	}
	server.Unlock()

	require.NoError(t, os.RemoveAll(filepath.Join(p.repo.Dir, "tenants/acme/apps/filter")))
	require.NoError(t, os.RemoveAll(filepath.Join(p.repo.Dir, "tenants/acme/apps/more")))
	p.repo.Commit("far alone")
	p.until("the others have ended", func(l *model.Ledger) bool {
		filter, _ := l.Find(model.AppID{Tenant: "acme", Name: "filter"})
		more, _ := l.Find(model.AppID{Tenant: "acme", Name: "more"})
		return filter.Phase == model.PhaseTerminated && more.Phase == model.PhaseTerminated && p.ready(l, "far", 1)
	})
	p.eventually("what ran of them is gone", func() bool {
		server.Lock()
		defer server.Unlock()
		return len(server.Jobs) == 1 && len(p.modules()) == 0
	})
	require.NoFileExists(t, filepath.Join(p.dir, "modules", "acme.filter.web.0.log"))

	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, p.wait())
	server.Lock()
	require.Contains(t, server.Jobs, "acme/far.web")
	server.Unlock()
	require.NotContains(t, p.log.String(), token)
	require.Empty(t, p.repo.Git("log", "--format=%H", "-S"+token, "status"))
}

// nomadJob is a component of Nomad.
const nomadJob = `type: "worker", runtime: "nomad", resources: requests: {cpu: "100m", memory: "64Mi"}, properties: image: "registry.example.com/shop:1"`

// program is the real program with a repository and a status branch.
type program struct {
	t      *testing.T
	repo   *gittest.Repo
	branch *status.Branch
	dir    string
	args   []string
	cmd    *exec.Cmd // that runs, or ran last
	ended  chan error
	log    bytes.Buffer // of all, read when none runs
}

// app declares an application of components that are alike.
func (p *program) app(name, component string, components ...string) {
	text := fmt.Sprintf("package fleet\n\napplication: name: %q\n", name)
	for _, c := range components {
		text += fmt.Sprintf("application: components: %s: {%s}\n", c, component)
	}
	p.repo.Write("tenants/acme/apps/"+name+"/app.cue", text)
}

// start starts the program.
func (p *program) start() {
	p.cmd = exec.Command(filepath.Join(commandDir, "reconciler"), append([]string{"run", "--repo", p.repo.Dir, "--state-dir", filepath.Join(p.dir, "state"), "--listen", "", "--interval", "200ms"}, p.args...)...)
	p.cmd.Env = append(os.Environ(), "KUBECONFIG=", "KUBERNETES_SERVICE_HOST=", "HOME="+p.dir, "GIT_CONFIG_NOSYSTEM=1")
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	require.NoError(p.t, p.cmd.Start())
	cmd, ended := p.cmd, make(chan error, 1)
	p.ended = ended
	go func() { ended <- cmd.Wait() }()
	p.t.Cleanup(func() { _ = cmd.Process.Kill() })
}

// wait waits until the program has ended.
func (p *program) wait() error {
	p.t.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(time.Minute):
		require.FailNow(p.t, "the program does not end")
		return nil
	}
}

// eventually waits until something is so.
func (p *program) eventually(what string, so func() bool) {
	p.t.Helper()
	for limit := time.After(time.Minute); !so(); {
		select {
		case err := <-p.ended:
			require.FailNow(p.t, "waited for this: "+what, "the program ended: %v\n%s", err, p.log.String())
		case <-time.After(20 * time.Millisecond):
		case <-limit:
			_ = p.cmd.Process.Kill()
			<-p.ended
			require.FailNow(p.t, "waited for this: "+what, "%s", p.log.String())
		}
	}
}

// until waits until the status branch says something.
func (p *program) until(what string, says func(*model.Ledger) bool) {
	p.t.Helper()
	p.eventually(what, func() bool {
		ledger, err := p.branch.Load(p.t.Context())
		return err == nil && says(&ledger)
	})
}

// ready reports whether an application runs, with so many components that are ready.
func (p *program) ready(l *model.Ledger, name string, components int) bool {
	inst, ok := l.Find(model.AppID{Tenant: "acme", Name: name})
	if !ok || inst.Phase != model.PhaseRunning || len(inst.Components) != components {
		return false
	}
	for i := range inst.Components {
		if inst.Components[i].State != model.StateReady {
			return false
		}
	}
	return true
}

// modules are the processes of the program that run a module.
func (p *program) modules() (list []int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
	for _, file := range threads {
		children, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(children)) {
			pid, _ := strconv.Atoi(child)
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); alive(pid) && bytes.HasSuffix(line, []byte("\x00"+moduleCommand+"\x00")) {
				list = append(list, pid)
			}
		}
	}
	return list
}

// alive reports whether a process runs.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
	"github.com/d-aros/d-aros/pkg/status"
)

var (
	shop    = model.AppID{Tenant: "acme", Name: "shop"}
	reports = model.AppID{Tenant: "acme", Name: "reports"}
	batch   = model.AppID{Tenant: "acme", Name: "batch"}
)

// play plays the whole story in a directory, with groups below one of a name, and cleans up.
func play(ctx context.Context, root, dir, group string, out io.Writer) error {
	w := &world{dir: dir, group: group, out: out, programs: map[string]*exec.Cmd{}, hosts: []string{"h1", "h2"}}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	defer w.close()
	if err := w.build(ctx, root); err != nil {
		return err
	}
	began := time.Now()
	for _, chapter := range []func(context.Context) error{w.begin, w.degrade, w.crash, w.killAgent, w.remove, w.read} {
		if err := chapter(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nAll of it held, in %.1f s.\n", time.Since(began).Seconds())
	return nil
}

// build builds the programs and makes the fleet repo.
func (w *world) build(ctx context.Context, root string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -linkmode=internal", "-o", filepath.Join(w.dir, "bin")+"/", "./cmd/reconciler", "./cmd/nodeagent")
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, said)
	}
	bare, clone := filepath.Join(w.dir, "fleet.git"), filepath.Join(w.dir, "fleet")
	if err := os.Mkdir(clone, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "--quiet", "--bare", "--initial-branch=main", bare}, {"init", "--quiet", "--initial-branch=main"}, {"remote", "add", "origin", bare}} {
		if _, err := w.git(ctx, args...); err != nil {
			return err
		}
	}
	if err := os.CopyFS(clone, os.DirFS(filepath.Join(root, "examples", "processes"))); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(clone, "cue.mod"), os.DirFS(filepath.Join(root, "examples", "repo", "cue.mod"))); err != nil {
		return err
	}
	if err := w.push(ctx, "a fleet of processes"); err != nil {
		return err
	}
	var err error
	w.branch, err = status.Open(ctx, status.Options{URL: bare, Dir: filepath.Join(w.dir, "watch")})
	return err
}

// begin starts the hosts and the reconciler.
func (w *world) begin(ctx context.Context) error {
	fmt.Fprintf(w.out, "Two hosts of a core each, a reconciler, and no cluster. Three applications are in Git.\n")
	for i, name := range w.hosts {
		host := fmt.Sprintf(`apiVersion: %s
kind: ProcessHost
name: %s
pool: hosts
directory: %s
cgroup: %s
logs: %s
labels: {zone: z%d}
capacity: {cpu: "1", memory: 1Gi}
programs: [/bin/sh]
users: {acme: [nobody]}
`, hostplan.APIVersion, name, filepath.Join(w.dir, "shared"), w.group+"/"+name, filepath.Join(w.dir, "logs-"+name), i+1)
		if err := os.WriteFile(filepath.Join(w.dir, name+".yaml"), []byte(host), 0o600); err != nil {
			return err
		}
		if err := w.startHost(name); err != nil {
			return err
		}
	}
	err := w.start("reconciler", "reconciler", "run", "--repo", filepath.Join(w.dir, "fleet.git"), "--process-dir", filepath.Join(w.dir, "shared"),
		"--state-dir", filepath.Join(w.dir, "state"), "--listen", "", "--interval", "1s")
	if err != nil {
		return err
	}
	ledger, err := w.until(ctx, "shop and reports run, says the status branch; batch waits for room", func(l *model.Ledger) bool {
		return is(l, shop, model.PhaseRunning) && is(l, reports, model.PhaseRunning) && is(l, batch, model.PhaseAdmitted)
	})
	if err != nil {
		return err
	}
	waits, _ := ledger.Find(batch)
	fmt.Fprintf(w.out, "            acme/batch: %s\n", waits.Message)
	return w.show()
}

// degrade scales an application of a higher priority up.
func (w *world) degrade(ctx context.Context) error {
	fmt.Fprintf(w.out, "\nA commit: shop gets a third replica, and the hosts are full.\n")
	if err := w.replace("tenants/acme/apps/shop/app.cue", "replicas: 2", "replicas: 3"); err != nil {
		return err
	}
	if err := w.push(ctx, "acme/shop: run three replicas of web"); err != nil {
		return err
	}
	ledger, err := w.until(ctx, "reports runs with one replica, and shop with three", func(l *model.Ledger) bool {
		return is(l, shop, model.PhaseRunning) && is(l, reports, model.PhaseDegraded) && ready(l, shop) == 3 && ready(l, reports) == 1
	})
	if err != nil {
		return err
	}
	less, _ := ledger.Find(reports)
	fmt.Fprintf(w.out, "            acme/reports: %s\n", less.Message)
	return w.show()
}

// crash kills a process.
func (w *world) crash(ctx context.Context) error {
	victim, err := w.find(shop)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "\nkill -9 %d, a process of shop.\n", victim.PID)
	if err := syscall.Kill(victim.PID, syscall.SIGKILL); err != nil {
		return err
	}
	ledger, err := w.until(ctx, "the failure is on the status branch, and three run again", func(l *model.Ledger) bool {
		in, ok := l.Find(shop)
		return ok && slices.ContainsFunc(in.Failures, func(f model.FailureCount) bool { return f.Signal == 9 }) && is(l, shop, model.PhaseRunning)
	})
	if err != nil {
		return err
	}
	in, _ := ledger.Find(shop)
	f := in.Failures[0]
	fmt.Fprintf(w.out, "            %s, class %s, signal %d, counted %d time(s)\n", f.Reason, f.Class, f.Signal, f.Count)
	return nil
}

// killAgent kills the agent of a host and starts it again.
func (w *world) killAgent(ctx context.Context) error {
	before, err := w.pids()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "\nkill -9 of the agent of h1; it is started again.\n")
	w.end("h1", syscall.SIGKILL)
	if err := w.startHost("h1"); err != nil {
		return err
	}
	if err := w.replace("tenants/acme/apps/shop/app.cue", "priority: 600", "priority: 610"); err != nil {
		return err
	}
	if err := w.push(ctx, "acme/shop: raise its priority"); err != nil {
		return err
	}
	if _, err := w.until(ctx, "a change of the priority is decided and starts nothing anew", func(l *model.Ledger) bool {
		in, ok := l.Find(shop)
		return ok && in.Spec.Priority == 610 && is(l, shop, model.PhaseRunning) && is(l, reports, model.PhaseDegraded)
	}); err != nil {
		return err
	}
	after, err := w.pids()
	if err != nil {
		return err
	}
	if !slices.Equal(before, after) {
		return fmt.Errorf("the processes %v should be those of before, %v", after, before)
	}
	fmt.Fprintf(w.out, "            the processes are those of before: %v\n", after)
	return nil
}

// remove removes an application.
func (w *world) remove(ctx context.Context) error {
	fmt.Fprintf(w.out, "\nA commit removes shop: reports gets back what it had, and batch starts.\n")
	if err := os.RemoveAll(filepath.Join(w.dir, "fleet", "tenants", "acme", "apps", "shop")); err != nil {
		return err
	}
	if err := w.push(ctx, "acme/shop: remove"); err != nil {
		return err
	}
	if _, err := w.until(ctx, "batch runs, and reports with both replicas", func(l *model.Ledger) bool {
		return is(l, shop, model.PhaseTerminated) && is(l, batch, model.PhaseRunning) && is(l, reports, model.PhaseRunning)
	}); err != nil {
		return err
	}
	return w.show()
}

// read shows the status branch, as people read it.
func (w *world) read(ctx context.Context) error {
	if _, err := w.git(ctx, "fetch", "--quiet", "origin"); err != nil {
		return err
	}
	log, err := w.git(ctx, "log", "--format=  %s", "origin/status", "--", "tenants/acme/shop")
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "\nThe history of shop, git log origin/status -- tenants/acme/shop:\n%s\n", log)
	return nil
}

// reported returns the processes of both hosts, in order.
func (w *world) reported() (all []hostplan.Process, on []string, err error) {
	for _, host := range w.hosts {
		data, err := os.ReadFile(filepath.Join(w.dir, "shared", "hosts", "hosts", host+".json"))
		if err != nil {
			return nil, nil, err
		}
		var r hostplan.Report
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, nil, err
		}
		for _, p := range r.Processes {
			all, on = append(all, p), append(on, host)
		}
	}
	return all, on, nil
}

// show shows what runs.
func (w *world) show() error {
	all, on, err := w.reported()
	for i, p := range all {
		fmt.Fprintf(w.out, "            %s  %-20s %-8s pid %d\n", on[i], p.Key, p.State, p.PID)
	}
	return err
}

// find returns a process of an application that runs.
func (w *world) find(app model.AppID) (hostplan.Process, error) {
	all, _, err := w.reported()
	for _, p := range all {
		if p.App == app && p.PID > 0 {
			return p, nil
		}
	}
	return hostplan.Process{}, fmt.Errorf("no process of %s runs: %w", app, err)
}

// pids returns the numbers of all processes, in order.
func (w *world) pids() (list []int, err error) {
	all, _, err := w.reported()
	for _, p := range all {
		list = append(list, p.PID)
	}
	return list, err
}

func is(l *model.Ledger, app model.AppID, phase model.Phase) bool {
	in, ok := l.Find(app)
	return ok && in.Phase == phase
}

// ready returns how many replicas of an application may run, once all of them do.
func ready(l *model.Ledger, app model.AppID) (n int) {
	in, ok := l.Find(app)
	for i := range in.Components {
		if !ok || in.Components[i].State != model.StateReady {
			return 0
		}
		n += in.Components[i].Run
	}
	return n
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/signkey"
)

// demo is one run.
type demo struct {
	place *place
	out   io.Writer
	once  bool

	cluster    *cluster
	repo       *repo
	reconciler *child
	dashboard  *child // nil with --once
	watcher    *watcher
	address    string // of the reconciler's metrics
	url        string // of the dashboard
	checks     checks
}

var shop = model.AppID{Tenant: "acme", Name: "shop"}

// run tells the story from the beginning to the end.
func (d *demo) run(ctx context.Context) error {
	began := time.Now()
	fmt.Fprintln(d.out, "D-AROS: a commit's way from Git to Kubernetes and back")
	if err := d.prepare(ctx); err != nil {
		return err
	}
	pinned, head, err := d.makeFleet(ctx)
	if err != nil {
		return err
	}
	if err := d.watch(ctx); err != nil {
		return err
	}
	if !d.once {
		if err := d.startDashboard(ctx); err != nil {
			return err
		}
		fmt.Fprintf(d.out, "\nThe same in a browser: %s\n", d.url)
	}
	ledger, err := d.settle(ctx, head, pinned)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nSettled %s after the start.\n\n", seconds(time.Since(began)))
	if err := d.show(ctx); err != nil {
		return err
	}
	ledger, err = d.pushImage(ctx, ledger)
	if err != nil {
		return err
	}
	if err := d.pushBreaking(ctx, ledger); err != nil {
		return err
	}
	fmt.Fprintln(d.out)
	err = d.verdict()
	if d.once {
		return err
	}
	d.invite()
	return d.stay(ctx)
}

// stop ends the children: first the reconciler, then what it works on.
func (d *demo) stop() {
	if d.watcher != nil {
		_ = d.watcher.branch.Close()
	}
	for _, c := range []*child{d.dashboard, d.reconciler} {
		if c != nil {
			c.stop()
		}
	}
	if d.cluster != nil && d.cluster.own != nil {
		d.cluster.own.stop()
	}
}

// prepare makes a cluster and the program ready, side by side.
func (d *demo) prepare(ctx context.Context) error {
	show := newProgress(d.out)
	defer show.close()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if kubeconfig := os.Getenv("KUBECONFIG"); kubeconfig != "" {
			if files := filepath.SplitList(kubeconfig); len(files) > 1 {
				return fmt.Errorf("KUBECONFIG names %d files; name the one of the cluster to use", len(files))
			}
			kubeconfig, err := filepath.Abs(kubeconfig) // whoever takes the demo down may stand elsewhere
			if err != nil {
				return err
			}
			if d.cluster, err = openExternal(ctx, kubeconfig); err != nil {
				return err
			}
			show.set("Kubernetes", d.cluster.String(), true)
			return os.WriteFile(d.place.path("external"), []byte(kubeconfig), 0o600)
		}
		began := time.Now()
		d.cluster, err = startCluster(ctx, d.place, show)
		if err == nil {
			show.set("Kubernetes", fmt.Sprintf("ready in %s: %s", seconds(time.Since(began)), d.cluster), true)
		}
		return err
	})
	group.Go(func() error {
		began := time.Now()
		show.set("reconciler", "is built", false)
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w -linkmode=internal", "-o", d.place.path("bin", "reconciler"), "./cmd/reconciler")
		cmd.Dir = d.place.root
		cmd.WaitDelay = time.Second
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build the reconciler: %w\n%s", err, out)
		}
		show.set("reconciler", "built in "+seconds(time.Since(began)), true)
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if d.cluster.exact() {
		return nil
	}
	if d.once {
		return fmt.Errorf("the expectations hold on %d nodes in pool general and %d in pool batch, of %s CPU and %s each; this cluster has %s",
			poolNodes[poolGeneral], poolNodes[poolBatch], nodeCPU, nodeMemory, d.cluster)
	}
	return nil
}

// makeFleet makes the repo: the example fleet, then a release of the API, then a
// pin that keeps the API at the release before. It returns the commit that the
// API is pinned to and the head.
func (d *demo) makeFleet(ctx context.Context) (pinned, head string, err error) {
	if d.repo, err = newRepo(ctx, d.place); err != nil {
		return "", "", err
	}
	const api = "tenants/globex/apps/api/app.cue"
	steps := []struct {
		edit    func() error
		message string
	}{
		{func() error { return d.repo.replace(api, "/api:3.0.1", "/api:3.0.0", 1) }, "start with the example fleet"},
		{func() error { return d.repo.replace(api, "/api:3.0.0", "/api:3.0.1", 1) }, "globex/api: release 3.0.1"},
		{func() error {
			return d.repo.replace("tenants/globex/tenant.cue", "\n}\n", "\n\n\t// 3.0.1 loses sessions: stay at 3.0.0.\n\treleases: api: commit: \""+pinned+"\"\n}\n", 1)
		}, "globex: pin api to the release before"},
	}
	for _, s := range steps {
		if err := s.edit(); err != nil {
			return "", "", err
		}
		if head, err = d.repo.commit(ctx, s.message); err != nil {
			return "", "", err
		}
		if pinned == "" {
			pinned = head
		}
	}
	return pinned, head, d.repo.push(ctx)
}

// watch runs the reconciler and reads what it writes.
func (d *demo) watch(ctx context.Context) (err error) {
	if d.address, err = freeAddress("127.0.0.1:8420"); err != nil {
		return err
	}
	if err = d.startReconciler(); err != nil {
		return err
	}
	d.watcher, err = newWatcher(ctx, d.place, d.repo, d.keep)
	return err
}

// startReconciler runs the real program.
func (d *demo) startReconciler() (err error) {
	key := d.place.path("status-key")
	if _, err := signkey.WriteEd25519(key, "reconciler"); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d.reconciler, err = startChild("the reconciler", d.place.path("reconciler.log"), os.Environ(), d.place.path("bin", "reconciler"), "run",
		"--repo", d.repo.bare, "--status-key", key, "--state-dir", d.place.path("state"), "--kubeconfig", d.cluster.kubeconfig,
		"--fleet", fleetName, "--namespace-prefix", d.cluster.prefix, "--listen", d.address)
	return err
}

// keep starts the reconciler again if somebody ended it, as Kubernetes would, and says
// so. A reconciler that ends with an error of its own ends the demo.
func (d *demo) keep() error {
	select {
	case <-d.reconciler.done:
	default:
		return nil
	}
	if d.reconciler.failed() {
		return d.reconciler.ended()
	}
	how := d.reconciler.cmd.ProcessState
	if err := d.startReconciler(); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nThe reconciler ended (%s). The demo started it again, as Kubernetes would: process %d.\n", how, d.reconciler.cmd.Process.Pid)
	return nil
}

// freeAddress prefers the address that the documents name.
func freeAddress(named string) (string, error) {
	for _, address := range []string{named, "127.0.0.1:0"} {
		if l, err := net.Listen("tcp", address); err == nil {
			defer l.Close()
			return l.Addr().String(), nil
		}
	}
	return "", errors.New("there is no free port on 127.0.0.1")
}

// settle waits until every application has found its place.
func (d *demo) settle(ctx context.Context, head, pinned string) (model.Ledger, error) {
	fmt.Fprintln(d.out)
	show := newProgress(d.out)
	defer show.close()
	ledger, _, err := d.watcher.until(ctx, "every application has found its place", 1500*time.Millisecond, func(l *model.Ledger) {
		for i := range l.Instances {
			in := &l.Instances[i]
			show.set(in.App.String(), standing(in), in.Phase != model.PhaseCreated && in.Phase != model.PhaseScheduled)
		}
	}, settled(head))
	if err != nil {
		show.close()
		_ = d.command(ctx, "status")
		return ledger, err
	}
	d.checks.fleet(&ledger, "at the start")
	api := model.AppID{Tenant: "globex", Name: "api"}
	if in, ok := ledger.Find(api); ok && in.Spec != nil {
		d.checks.expect(in.Spec.Commit == pinned, "globex/api should run as of its pin %s, and runs as of %s", pinned, in.Spec.Commit)
		d.checks.expect(image(in, "server") == "registry.example.com/globex/api:3.0.0", "globex/api should run release 3.0.0, and runs %s", image(in, "server"))
	}
	return ledger, nil
}

// standing says where an instance stands and, while it starts, which component
// it waits for.
func standing(in *model.Instance) string {
	text := fmt.Sprintf("%s (%s)", in.Phase, in.Reason)
	if in.Phase != model.PhaseScheduled {
		return text
	}
	for _, c := range in.Components {
		if c.State == model.StateStarting || c.State == model.StateFailed {
			text += fmt.Sprintf(", %s %s", c.Grant.Component, c.State)
			if c.Message != "" {
				text += ": " + c.Message
			}
			break
		}
	}
	return text
}

// show lets the real commands speak.
func (d *demo) show(ctx context.Context) error {
	if err := d.command(ctx, "status"); err != nil {
		return err
	}
	fmt.Fprint(d.out, "\nWhy does initech/simulation wait?\n\n")
	if err := d.command(ctx, "explain", "initech/simulation"); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nAll this stands on the status branch of %s:\n\n", d.place.shown("fleet.git"))
	log, err := git(ctx, d.repo.bare, "log", "--oneline", "-n8", "status")
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "$ git -C %s log --oneline -n8 status\n%s\n", d.place.shown("fleet.git"), log)
	return nil
}

// command runs a reading command, and shows how.
func (d *demo) command(ctx context.Context, args ...string) error {
	args = append(args, "--repo", d.place.shown("fleet.git"))
	fmt.Fprintf(d.out, "$ %s", d.place.shown("bin", "reconciler"))
	for _, a := range args {
		fmt.Fprint(d.out, " ", a)
	}
	fmt.Fprintln(d.out)
	cmd := exec.CommandContext(ctx, d.place.path("bin", "reconciler"), args...)
	cmd.Stdout, cmd.Stderr = d.out, os.Stderr
	return cmd.Run()
}

// stay keeps everything up until somebody has seen enough.
func (d *demo) stay(ctx context.Context) error {
	var gone <-chan struct{}
	if d.cluster.own != nil {
		gone = d.cluster.own.done
	}
	for {
		select {
		case <-ctx.Done():
			fmt.Fprintln(d.out, "\nstopping …")
			return nil
		case <-d.reconciler.done:
			if err := d.keep(); err != nil {
				return err
			}
		case <-gone:
			return d.cluster.own.ended()
		}
	}
}

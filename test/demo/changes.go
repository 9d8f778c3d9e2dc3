package main

import (
	"context"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

const (
	shopFile = "tenants/acme/apps/shop/app.cue"
	oldImage = "ghcr.io/acme/shop:1.4.2"
	newImage = "ghcr.io/acme/shop:1.5.0"
	tooMany  = 25 // replicas; tenant acme allows 20
)

// pushImage releases a new version of shop's web and measures its way.
func (d *demo) pushImage(ctx context.Context, before model.Ledger) (model.Ledger, error) {
	if err := d.repo.replace(shopFile, oldImage, newImage, 2); err != nil { // the first is the migration's
		return before, err
	}
	commit, err := d.repo.commit(ctx, "acme/shop: release web 1.5.0")
	if err != nil {
		return before, err
	}
	fmt.Fprintf(d.out, "\nA change: web of acme/shop gets the image %s (commit %.10s).\n", newImage, commit)
	began := time.Now()
	if err := d.repo.push(ctx); err != nil {
		return before, err
	}
	d.moment(began, began, "pushing")
	admitted := func(at time.Time) {
		d.moment(began, at, "Scheduled: admitted, says the status branch")
	}
	seen := false
	after, running, err := d.watcher.until(ctx, "acme/shop runs the new image", 0, func(l *model.Ledger) {
		in, ok := l.Find(shop)
		if ok && l.Commit == commit && in.Phase == model.PhaseScheduled && !seen {
			seen = true
			admitted(time.Now())
		}
	}, func(l *model.Ledger) bool {
		in, ok := l.Find(shop)
		return ok && in.Phase == model.PhaseRunning && in.Spec != nil && in.Spec.Commit == commit && settled(commit)(l)
	})
	if err != nil {
		return after, err
	}
	if !seen { // it went by between two looks at the branch
		in, _ := after.Find(shop)
		for _, t := range in.History {
			if t.Commit == commit && t.To == model.PhaseScheduled {
				admitted(t.At)
			}
		}
	}
	d.moment(began, running, "Running: every replica is ready, says the status branch")
	d.live(ctx, newImage, "after the new image")
	in, _ := after.Find(shop)
	d.checks.expect(image(in, "web") == newImage, "acme/shop should run %s, and its spec says %s", newImage, image(in, "web"))
	d.checks.expect(in.Number == 1, "acme/shop should be updated in place, and is instance %d", in.Number)
	d.checks.fleet(&after, "after the new image")
	d.checks.others(&before, &after, shop, "after the new image")
	return after, nil
}

// pushBreaking asks for more replicas than the tenant may have.
func (d *demo) pushBreaking(ctx context.Context, before model.Ledger) error {
	if err := d.repo.replace(shopFile, "replicas: 4", fmt.Sprintf("replicas: %d", tooMany), 1); err != nil {
		return err
	}
	commit, err := d.repo.commit(ctx, fmt.Sprintf("acme/shop: run %d replicas of web", tooMany))
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nA change that breaks a rule: web of acme/shop wants %d replicas, its tenant allows 20 (commit %.10s).\n", tooMany, commit)
	began := time.Now()
	if err := d.repo.push(ctx); err != nil {
		return err
	}
	d.moment(began, began, "pushing")
	after, refused, err := d.watcher.until(ctx, "the new replicas are refused", 0, func(*model.Ledger) {}, func(l *model.Ledger) bool {
		in, ok := l.Find(shop)
		return ok && l.Commit == commit && in.Refused != nil
	})
	if err != nil {
		return err
	}
	d.moment(began, refused, "refused, says the status branch:")
	problem := problemOf(&after, shop)
	if problem != nil {
		fmt.Fprintf(d.out, "             %s %s: %s\n", problem.Code, problem.Path, problem.Message)
		for _, place := range problem.Places {
			fmt.Fprintf(d.out, "               %-40s %s\n", place.At, place.Note)
		}
	}
	d.live(ctx, newImage, "after the breaking change")

	in, _ := after.Find(shop)
	was, _ := before.Find(shop)
	d.checks.expect(problem != nil && len(problem.Places) >= 2, "the problem should name both files: what was asked and what is allowed")
	d.checks.expect(in.Phase == model.PhaseRunning && in.SpecDigest() == was.SpecDigest() && in.Since.Equal(was.Since),
		"acme/shop should go on as it was, and is %s (%s)", in.Phase, in.Message)
	d.checks.fleet(&after, "after the breaking change")
	d.checks.others(&before, &after, shop, "after the breaking change")
	return nil
}

// live asks the cluster itself what runs.
func (d *demo) live(ctx context.Context, image, when string) {
	runs, ready, err := d.cluster.deployment(ctx, shop.Tenant, "shop-web")
	if err != nil {
		d.checks.expect(false, "%s: the cluster should tell of web: %v", when, err)
		return
	}
	fmt.Fprintf(d.out, "             the cluster has %d ready replicas of %s\n", ready, runs)
	d.checks.expect(runs == image && ready == 4, "%s: the cluster should have 4 ready replicas of %s, and has %d of %s", when, image, ready, runs)
}

// moment prints what happened, counted from the push.
func (d *demo) moment(began, at time.Time, what string) {
	fmt.Fprintf(d.out, "  %7.2f s  %s\n", at.Sub(began).Seconds(), what)
}

// verdict reports whether everything came out as expected.
func (d *demo) verdict() error {
	if !d.cluster.exact() {
		fmt.Fprintln(d.out, "This cluster has other nodes than the example fleet is written for; what was expected was not checked.")
		return nil
	}
	if len(d.checks.failed) == 0 {
		fmt.Fprintf(d.out, "All %d expectations held.\n", d.checks.made)
		return nil
	}
	fmt.Fprintf(d.out, "%d of %d expectations did not hold:\n", len(d.checks.failed), d.checks.made)
	for _, f := range d.checks.failed {
		fmt.Fprintln(d.out, "  -", f)
	}
	return errExpectations
}

// invite says how to look around.
func (d *demo) invite() {
	p := d.place
	reconciler, repo := p.shown("bin", "reconciler"), p.shown("fleet.git")
	fmt.Fprintf(d.out, `
Everything stays up until ^C. In a browser:

  %s

In another terminal:

  export KUBECONFIG=%s         # then kubectl get all -A
  %s status --repo %s
  %s explain acme/shop --repo %s
  git clone %s my-fleet        # change something, commit, push, and look again
  git -C %s log -p status      # every decision, as a diff
  kill -9 %d                   # the reconciler: the demo starts it again, and it goes on from the status branch
  curl http://%s/metrics
  tail -f %s

make demo-down stops everything and removes it.
`, d.url, d.cluster.kubeconfig, reconciler, repo, reconciler, repo, repo, repo, d.reconciler.cmd.Process.Pid, d.address, p.shown("reconciler.log"))
}

// builds shows the progress of a long build in the block.
type builds struct{ show *progress }

// Write takes a line of the builder's progress.
func (b builds) Write(text []byte) (int, error) {
	b.show.set("Kubernetes", "is built (minutes the first time): "+lastLine(text), false)
	return len(text), nil
}

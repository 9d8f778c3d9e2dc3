//go:build linux

package nodeagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
)

// bundle is the plan in force.
type bundle struct {
	plan   qos.Plan
	digest string
	since  time.Time // when it came into force first, also before a restart
	stale  bool      // it is the last good one; the file says something else or nothing
	fresh  bool      // there is no copy of it on disk
}

// settle is how long a changed file must stay the same before it is used: half of a
// plan may be valid, and would release the workloads of the other half.
const settle = 50 * time.Millisecond

// loadPlan updates the bundle from the file. If the file is unusable, or older than what was in
// force, the bundle stays as it is, or is the last good plan at a start; the error is the reason.
func (a *agent) loadPlan(ctx context.Context) error {
	if a.cfg.Plan == "" {
		if a.bundle == nil {
			a.bundle = &bundle{digest: digest(nil), since: time.Now().UTC()}
		}
		return nil
	}
	data, err := a.readPlan(ctx)
	if err == nil {
		if a.bundle != nil && !a.bundle.stale && a.bundle.digest == digest(data) {
			return a.keepCopy(data)
		}
		var next *bundle
		if next, err = a.check(data); err == nil {
			a.bundle = next
			return a.keepCopy(data)
		}
		err = fmt.Errorf("%s: %w", a.cfg.Plan, err)
	}
	if a.bundle != nil {
		a.bundle.stale = true
		return fmt.Errorf("the last good plan stays in force: %w", err)
	}
	if a.state == nil {
		return err
	}
	kept, keptErr := a.kept()
	if errors.Is(keptErr, fs.ErrNotExist) {
		return fmt.Errorf("no plan yet: %w", err)
	}
	if keptErr != nil {
		return fmt.Errorf("no plan: %w; and the copy: %w", err, keptErr)
	}
	a.bundle = kept
	return fmt.Errorf("the last good plan stays in force: %w", err)
}

// check returns a plan that may be in force from now on.
func (a *agent) check(data []byte) (*bundle, error) {
	plan, err := qos.Parse(data)
	if err != nil {
		return nil, err
	}
	before := a.bundle
	if before == nil {
		before, err = a.kept()
	}
	next := &bundle{plan: plan, digest: digest(data), since: time.Now().UTC(), fresh: true}
	if err == nil {
		if err := plan.Follows(&before.plan); err != nil {
			return nil, err
		}
		if before.digest == next.digest {
			next.since, next.fresh = before.since, before.fresh
		}
	}
	return next, nil
}

// keepCopy saves the plan in force where that is not done, and tries again where it could not. A dry run keeps no copy.
func (a *agent) keepCopy(data []byte) error {
	if a.state == nil || !a.bundle.fresh {
		return nil
	}
	if err := a.state.write(planFile, append([]byte("# "+digest(data)+"\n"), data...)); err != nil {
		return fmt.Errorf("keep a copy of the plan: %w", err)
	}
	a.bundle.fresh = false
	return nil
}

// kept returns the last good plan, or fs.ErrNotExist.
func (a *agent) kept() (*bundle, error) {
	s := state{dir: a.cfg.StateDir} // also for a dry run
	data, since, err := s.lastGood()
	if err != nil {
		return nil, err
	}
	plan, err := qos.Parse(data)
	if err != nil {
		return nil, err
	}
	return &bundle{plan: plan, digest: digest(data), since: since, stale: true}, nil
}

// readPlan returns the file as soon as it has stopped changing.
func (a *agent) readPlan(ctx context.Context) ([]byte, error) {
	data, err := readBounded(a.cfg.Plan)
	for err == nil && (a.bundle == nil || a.bundle.digest != digest(data)) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(settle):
		}
		var again []byte
		if again, err = readBounded(a.cfg.Plan); err == nil && string(again) == string(data) {
			break
		}
		data = again
	}
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	return data, nil
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	return io.ReadAll(io.LimitReader(f, qos.MaxDocument+1))
}

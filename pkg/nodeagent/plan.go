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
	stale  bool // it is the last good one; the file says something else or nothing
}

// settle is how long a changed file must stay the same before it is used: half of a
// plan may be valid, and would release the workloads of the other half.
const settle = 50 * time.Millisecond

// loadPlan updates the bundle from the file. If the file is unusable, the bundle stays
// as it is, or is the last good plan at a start; the error is the reason.
func (a *agent) loadPlan(ctx context.Context) error {
	if a.cfg.Plan == "" {
		a.bundle = &bundle{digest: digest(nil)}
		return nil
	}
	data, err := a.readPlan(ctx)
	if err == nil {
		if a.bundle != nil && !a.bundle.stale && a.bundle.digest == digest(data) {
			return nil
		}
		var plan qos.Plan
		if plan, err = qos.Parse(data); err == nil {
			a.bundle = &bundle{plan: plan, digest: digest(data)}
			if a.state == nil { // a dry run keeps no copy
				return nil
			}
			if err := a.state.keepPlan(data); err != nil {
				return fmt.Errorf("keep a copy of the plan: %w", err)
			}
			return nil
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
	kept, keptErr := a.state.lastGood()
	if errors.Is(keptErr, fs.ErrNotExist) {
		return fmt.Errorf("no plan yet: %w", err)
	}
	var plan qos.Plan
	if keptErr == nil {
		plan, keptErr = qos.Parse(kept)
	}
	if keptErr != nil {
		return fmt.Errorf("no plan: %w; and the copy: %w", err, keptErr)
	}
	a.bundle = &bundle{plan: plan, digest: digest(kept), stale: true}
	return fmt.Errorf("the last good plan stays in force: %w", err)
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

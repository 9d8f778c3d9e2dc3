//go:build linux

package nodeagent

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
)

// figuresEvery is how often a report is written for what workloads use, at most.
const figuresEvery = 10 * time.Second

// keep replaces the report, and writes it to disk if there is news.
func (a *agent) keep(next Report, dry bool) error {
	next.Changed, next.Measured = a.report.Changed, a.report.Measured
	now := time.Now().UTC()
	switch {
	case a.report.Changed.IsZero() || !next.same(a.report):
		next.Changed, next.Measured = now, time.Time{}
		if slices.ContainsFunc(next.Workloads, func(s qos.Standing) bool { return s.Used != nil }) {
			next.Measured = now
		}
	case now.Sub(next.Measured) < figuresEvery || slices.EqualFunc(next.Workloads, a.report.Workloads, func(a, b qos.Standing) bool { return a.Like(&b) }):
		return nil // what workloads use hardly differs
	default:
		next.Measured = now
	}
	if !dry {
		if err := a.state.keepReport(next); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	a.report = next
	return nil
}

// same reports whether two reports say the same, but for what workloads use.
func (r Report) same(o Report) bool {
	promises := func(a, b qos.Standing) bool {
		return a.Workload == b.Workload && a.Promised == b.Promised && a.Effective == b.Effective
	}
	if !slices.EqualFunc(r.Workloads, o.Workloads, promises) {
		return false
	}
	r.Workloads, o.Workloads = nil, nil
	return reflect.DeepEqual(r, o)
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// expectation is how an application of examples/repo is to come out on the
// cluster that the fleet is written for.
type expectation struct {
	app    string
	phase  model.Phase
	reason model.Reason // "": any
	why    string
}

var expectations = []expectation{
	{"acme/shop", model.PhaseRunning, "", "a database, a migration, then web and worker"},
	{"acme/site", model.PhaseRunning, "", "a kustomization of its own"},
	{"globex/analytics", model.PhaseRejected, model.ReasonQuotaExceeded, "asks for more than its tenant's quota"},
	{"globex/api", model.PhaseRunning, "", "pinned to the first commit"},
	{"globex/reports", model.PhaseRunning, "", "a cron"},
	{"initech/backfill", model.PhaseRunning, "", "a batch job"},
	{"initech/rendering", model.PhaseDegraded, model.ReasonCapacityShort, "room for its minimum only"},
	{"initech/risk", model.PhaseRunning, "", "takes three quarters of the batch pool"},
	{"initech/simulation", model.PhaseAdmitted, model.ReasonCapacityShort, "needs 16 CPU at once"},
}

// checks collects what was expected and what of it did not hold.
type checks struct {
	made   int
	failed []string
}

// expect records one expectation.
func (c *checks) expect(holds bool, format string, args ...any) {
	c.made++
	if !holds {
		c.failed = append(c.failed, fmt.Sprintf(format, args...))
	}
}

// fleet compares a ledger with the table.
func (c *checks) fleet(l *model.Ledger, when string) {
	for _, e := range expectations {
		id, err := model.ParseAppID(e.app)
		in, ok := l.Find(id)
		if err != nil || !ok {
			c.expect(false, "%s: %s is not on the status branch", when, e.app)
			continue
		}
		c.expect(in.Phase == e.phase && (e.reason == "" || in.Reason == e.reason),
			"%s: %s (%s) should be %s, and is %s (%s: %s)", when, e.app, e.why, strings.TrimSuffix(fmt.Sprintf("%s %s", e.phase, e.reason), " "),
			in.Phase, in.Reason, in.Message)
	}
	c.expect(len(l.Instances) == len(expectations), "%s: the status branch tells of %d applications, examples/repo has %d", when, len(l.Instances), len(expectations))
}

// others checks that a change left every other application alone.
func (c *checks) others(before, after *model.Ledger, but model.AppID, when string) {
	for i := range before.Instances {
		was := &before.Instances[i]
		if was.App == but {
			continue
		}
		is, ok := after.Find(was.App)
		same := ok && is.Number == was.Number && is.Phase == was.Phase && is.Since.Equal(was.Since) && is.SpecDigest() == was.SpecDigest()
		c.expect(same, "%s: %s should not have been touched", when, was.App)
	}
}

// problemOf returns the first problem about an application.
func problemOf(l *model.Ledger, id model.AppID) *model.Problem {
	i := slices.IndexFunc(l.Problems, func(p model.Problem) bool { return p.Tenant == id.Tenant && p.App == id.Name })
	if i < 0 {
		return nil
	}
	return &l.Problems[i]
}

// image returns the image that an instance's component is to run.
func image(in *model.Instance, component string) string {
	if in.Spec == nil {
		return ""
	}
	c, ok := in.Spec.Component(component)
	if !ok {
		return ""
	}
	_, rest, _ := strings.Cut(string(c.Properties), `"image":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

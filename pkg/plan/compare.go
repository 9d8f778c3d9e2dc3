package plan

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Changes are the differences between two outcomes.
type Changes struct {
	Applications []Application   `json:"applications"` // most important first
	Price        Price           `json:"pricePerHour"`
	Tenants      []Tenant        `json:"tenants"` // with another price
	Touched      []Touched       `json:"touched"` // tenants that the change affects in any way, by name
	Waits        Waits           `json:"waits"`   // for capacity, after the change
	Objects      []ObjectChange  `json:"objects"`
	Runs         []RunChange     `json:"runs"`     // of workflows, by application
	Problems     []model.Problem `json:"problems"` // that the change introduces
	Solved       []model.Problem `json:"solved"`   // that the change solves

	// OverQuota is what tenants are granted beyond their quotas because of the change. It
	// is a warning: what runs stays.
	OverQuota []model.OverQuota `json:"overQuota,omitempty"`
}

// Application is an application that the change affects.
type Application struct {
	App     model.AppID     `json:"application"`
	Effect  Effect          `json:"effect"`
	Edited  bool            `json:"edited"` // its own declaration differs; else the cause is elsewhere
	Phase   Phases          `json:"phase"`
	Grants  []GrantChange   `json:"grants,omitempty"`
	Price   Price           `json:"pricePerHour"`
	Before  *model.Decision `json:"before,omitempty"`
	After   *model.Decision `json:"after,omitempty"`
	Refused *model.Refusal  `json:"refused,omitempty"` // why the newer spec is not accepted

	// Changes are the values by which the same release goes on; none if it is another one.
	Changes []model.AdmissionChange `json:"changes,omitempty"`
}

// Phases are the phases of an application on both sides; "": it does not exist there.
type Phases struct {
	Before model.Phase `json:"before,omitempty"`
	After  model.Phase `json:"after,omitempty"`
}

// GrantChange is a component whose grant differs. One of the two may be nil.
type GrantChange struct {
	Component string       `json:"component"`
	Before    *model.Grant `json:"before,omitempty"`
	After     *model.Grant `json:"after,omitempty"`
}

// Tenant is a tenant whose price differs.
type Tenant struct {
	Name  string `json:"name"`
	Price Price  `json:"pricePerHour"`
}

// Effect is what the change does to an application.
type Effect string

// Effects, the most important ones first.
const (
	Rejected   Effect = "rejected"   // it is not admitted
	Refused    Effect = "refused"    // its newer spec is not accepted; the old one keeps running
	Evicted    Effect = "evicted"    // it loses its place
	Removed    Effect = "removed"    // it ends, because Git no longer declares it
	Degraded   Effect = "degraded"   // it runs with less than it asks for
	Waiting    Effect = "waiting"    // it waits for capacity
	Admitted   Effect = "admitted"   // it gets a place, in full or with less
	Restored   Effect = "restored"   // it runs in full again
	Updated    Effect = "updated"    // it runs another release
	Regranted  Effect = "regranted"  // the same release gets another amount or pool
	Readmitted Effect = "readmitted" // the same release goes on with the same grant, by other rules
	Requeued   Effect = "requeued"   // its place in the line differs
	Reworded   Effect = "reworded"   // only the explanation differs
)

// effects in the order of a plan.
var effects = []Effect{Rejected, Refused, Evicted, Removed, Degraded, Waiting, Admitted, Restored, Updated, Regranted, Readmitted, Requeued, Reworded}

// Empty reports whether nothing differs.
func (c *Changes) Empty() bool {
	return len(c.Applications)+len(c.Problems)+len(c.Solved)+len(c.Tenants)+len(c.Runs) == 0 && !slices.ContainsFunc(c.Objects, c.tells)
}

// tells reports whether the change of an object is more than the warning that its tenant
// is over quota: its ResourceQuota and its LimitRange then hold what is granted.
func (c *Changes) tells(o ObjectChange) bool {
	return o.Kind != "ResourceQuota" && o.Kind != "LimitRange" || o.Action != Change ||
		!slices.ContainsFunc(c.OverQuota, func(q model.OverQuota) bool { return q.Tenant == o.App.Tenant })
}

// Refuses reports whether the change is refused: it introduces a problem, or an application or its update is rejected.
func (c *Changes) Refuses() bool {
	return len(c.Problems) > 0 || slices.ContainsFunc(c.Applications, func(a Application) bool {
		return a.Effect == Rejected || a.Effect == Refused
	})
}

// Bad reports whether somebody has to see the effect: an application does not run as declared, or no longer runs.
func (e Effect) Bad() bool { return e == Rejected || e == Refused || e == Evicted || e == Removed }

// Result is the verdict on a change.
type Result string

// Results.
const (
	ResultSame    Result = "same"
	ResultChanges Result = "changes"
	ResultRefused Result = "refused" // the change introduces a problem, or an application is rejected because of it
)

// Result returns the verdict on the change.
func (c *Changes) Result() Result {
	switch {
	case c.Refuses():
		return ResultRefused
	case c.Empty():
		return ResultSame
	}
	return ResultChanges
}

// Compare returns the differences of the second outcome from the first.
func Compare(before, after *Outcome) Changes {
	declared := map[model.AppID]bool{}
	for _, a := range after.Fleet.Applications {
		declared[a.ID] = true
	}
	for _, u := range after.Fleet.Unusable {
		declared[u.App] = true
	}
	c := Changes{Objects: compareObjects(before.Objects, after.Objects, declared), Runs: compareRuns(before.Runs, after.Runs)}
	was, is := before.states(), after.states()
	everyone := maps.Clone(was)
	maps.Copy(everyone, is)
	priceWas, priceIs := PricesOf(before.Fleet.Platform), PricesOf(after.Fleet.Platform)
	tenants := map[string]Price{}
	for _, app := range slices.SortedFunc(maps.Keys(everyone), model.AppID.Compare) {
		x, y := cmp.Or(was[app], &appState{}), cmp.Or(is[app], &appState{})
		price := Price{priceWas.of(x), priceIs.of(y)}
		sum := tenants[app.Tenant]
		tenants[app.Tenant] = Price{sum.Before + price.Before, sum.After + price.After}
		if effect := effectOf(x, y); effect != "" {
			c.Applications = append(c.Applications, describe(app, effect, x, y, price))
		}
	}
	slices.SortStableFunc(c.Applications, func(a, b Application) int {
		return cmp.Compare(slices.Index(effects, a.Effect), slices.Index(effects, b.Effect))
	})
	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		price := tenants[name]
		c.Price.Before, c.Price.After = c.Price.Before+price.Before, c.Price.After+price.After
		if price.Before != price.After {
			c.Tenants = append(c.Tenants, Tenant{name, price})
		}
	}
	for _, q := range after.Ledger.OverQuota {
		was := slices.IndexFunc(before.Ledger.OverQuota, q.SameState)
		if was < 0 || before.Ledger.OverQuota[was].Limit != q.Limit || before.Ledger.OverQuota[was].Granted < q.Granted {
			q.Since = time.Time{} // it is not so yet
			c.OverQuota = append(c.OverQuota, q)
		}
	}
	c.Touched, c.Waits = touched(before, after, c.Applications, tenants), waitsAfter(was, is)
	c.Problems, c.Solved = Without(after.Fleet.Problems, before.Fleet.Problems), Without(before.Fleet.Problems, after.Fleet.Problems)
	return c
}

// effectOf returns how y differs from x, "" if it does not.
func effectOf(x, y *appState) Effect {
	switch {
	case y.runs():
		return effectOnRunning(x, y)
	case y.evicted() && !x.evicted(), x.runs() && y.waits():
		return Evicted
	case y.waits() && !x.waits():
		return Waiting
	case y.rejected() && !x.rejected():
		return Rejected
	case x.runs() || (x.waits() || x.rejected()) && !y.waits() && !y.rejected() && !y.evicted():
		return Removed
	case x.position() != y.position():
		return Requeued
	case !sameWords(x, y):
		return Reworded
	}
	return ""
}

// effectOnRunning is effectOf for an application that runs in y.
func effectOnRunning(x, y *appState) Effect {
	refused := y.refusal()
	switch {
	case !x.runs():
		return Admitted
	case refused != nil && (x.refusal() == nil || *x.refusal() != *refused):
		return Refused
	case y.degraded() && !x.degraded():
		return Degraded
	case x.degraded() && !y.degraded():
		return Restored
	case x.instance.Release() != y.instance.Release():
		return Updated
	case len(grantChanges(x, y)) > 0:
		return Regranted
	case x.instance.SpecDigest() != y.instance.SpecDigest():
		return Readmitted
	case !sameWords(x, y):
		return Reworded
	}
	return ""
}

// sameWords reports whether the explanation is the same. For a full grant its sentence does not count: it mentions the
// capacity that is free.
func sameWords(x, y *appState) bool {
	a, b := x.decision, y.decision
	if a == nil || b == nil {
		return (a == nil) == (b == nil)
	}
	return a.Verdict == b.Verdict && a.Reason == b.Reason && reflect.DeepEqual(a.Refused, b.Refused) &&
		(a.Message == b.Message || a.Verdict == model.VerdictGranted && !a.Degraded)
}

func describe(app model.AppID, effect Effect, x, y *appState, price Price) Application {
	a := Application{
		App: app, Effect: effect, Edited: x.digest() != y.digest(), Grants: grantChanges(x, y), Price: price,
		Before: x.decision, After: y.decision, Refused: y.refusal(),
	}
	if x.instance != nil {
		a.Phase.Before = x.instance.Phase
	}
	if y.instance != nil {
		a.Phase.After = y.instance.Phase
	}
	if x.runs() && y.runs() && x.instance.Release() == y.instance.Release() {
		a.Changes = model.AdmissionChanges(x.instance.Spec, y.instance.Spec)
	}
	return a
}

// grantChanges lists the components whose grants differ, by name.
func grantChanges(x, y *appState) (list []GrantChange) {
	was, is := x.grants(), y.grants()
	names := slices.Concat(model.Names(was), model.Names(is))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		before, _ := model.Find(was, name)
		after, _ := model.Find(is, name)
		if model.DigestOf(before) != model.DigestOf(after) {
			list = append(list, GrantChange{name, before, after})
		}
	}
	return list
}

// Without returns the problems of a list that are not among others.
func Without(list, others []model.Problem) (rest []model.Problem) {
	known := map[string]bool{}
	for i := range others {
		known[Saying(&others[i])] = true
	}
	for i := range list {
		if !known[Saying(&list[i])] {
			rest = append(rest, list[i])
		}
	}
	return rest
}

// Saying identifies a problem wherever it is: lines move when a file is edited.
func Saying(p *model.Problem) string {
	return strings.Join([]string{p.Code, p.Tenant, p.App, p.Path, p.Message}, "\x00")
}

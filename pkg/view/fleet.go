package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Limits of the first answer about a fleet, so that its size does not follow that of the fleet.
const (
	maxTenants   = 1000
	maxWaits     = 50
	maxOverQuota = 200
)

// Fleet is a fleet at a glance.
type Fleet struct {
	Fleet      string               `json:"fleet,omitempty"`
	Ledger     model.LedgerIdentity `json:"ledger,omitzero"` // that the answer is from
	Commit     string               `json:"commit"`          // of the source branch that the answer reflects
	Unverified string               `json:"unverified,omitempty"`
	Phases     map[model.Phase]int  `json:"phases"`
	Left       int                  `json:"left,omitempty"` // applications of the commit that the branch does not have yet

	Tenants      []TenantCounts `json:"tenants"`
	TenantsTotal int            `json:"tenantsTotal"`

	WaitsForPeople      []PeopleWait `json:"waitsForPeople"` // steps of workflows that do not go on by themselves
	WaitsForPeopleTotal int          `json:"waitsForPeopleTotal"`

	Problems  int               `json:"problems"` // that make parts of the fleet repo unusable
	Orphans   int               `json:"orphans"`  // applications with objects that no record knows
	OverQuota []model.OverQuota `json:"overQuota"`
}

// TenantCounts are numbers of applications of one tenant.
type TenantCounts struct {
	Tenant      string              `json:"tenant"`
	Phases      map[model.Phase]int `json:"phases"`
	Waiting     int                 `json:"waiting"`     // for capacity
	Refused     int                 `json:"refused"`     // that are not admitted, or whose newer spec is not
	Unwell      int                 `json:"unwell"`      // that people may want to look at
	NeedsPeople int                 `json:"needsPeople"` // with a step that does not go on by itself
}

// PeopleWait is a step of a workflow that goes on only if somebody acts.
type PeopleWait struct {
	App    model.AppID `json:"application"`
	Run    int         `json:"run"`            // the number of the run
	Step   string      `json:"step,omitempty"` // "": the run as a whole
	What   string      `json:"what"`           // as in "waits for …"
	Until  time.Time   `json:"until,omitzero"`
	Action string      `json:"action,omitempty"` // the command that ends the wait
}

// FleetOf returns the fleet at a glance.
func FleetOf(l *model.Ledger) Fleet {
	v := Fleet{
		Ledger: l.Identity, Commit: l.Commit, Left: l.Source.Left, Phases: map[model.Phase]int{}, Tenants: []TenantCounts{}, WaitsForPeople: []PeopleWait{},
		Problems: len(l.AllProblems()), Orphans: len(l.Orphans), OverQuota: append([]model.OverQuota{}, l.OverQuota[:min(len(l.OverQuota), maxOverQuota)]...),
	}
	if l.Platform != nil {
		v.Fleet = l.Platform.Name
	}
	for i := range l.Instances {
		in := &l.Instances[i]
		v.Phases[in.Phase]++
		waits := peopleWaits(in)
		v.WaitsForPeopleTotal += len(waits)
		v.WaitsForPeople = append(v.WaitsForPeople, waits[:min(len(waits), maxWaits-len(v.WaitsForPeople))]...)
	}
	all := tenantsOf(l)
	v.TenantsTotal = len(all)
	v.Tenants = append(v.Tenants, all[:min(len(all), maxTenants)]...)
	return v
}

// tenantsOf counts the applications of all tenants of a ledger. Those with most to look at come first.
func tenantsOf(l *model.Ledger) (all []TenantCounts) {
	tenants := map[string]*TenantCounts{}
	of := func(name string) *TenantCounts {
		t := tenants[name]
		if t == nil {
			t = &TenantCounts{Tenant: name, Phases: map[model.Phase]int{}}
			tenants[name] = t
		}
		return t
	}
	for i := range l.Tenants {
		of(l.Tenants[i].Name)
	}
	for i := range l.Instances {
		of(l.Instances[i].App.Tenant).add(l, &l.Instances[i])
	}
	for _, t := range tenants {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b TenantCounts) int {
		return cmp.Or(cmp.Compare(b.Unwell+b.NeedsPeople, a.Unwell+a.NeedsPeople), strings.Compare(a.Tenant, b.Tenant))
	})
	return all
}

// TenantsPage is a page of the tenants.
type TenantsPage struct {
	Tenants []TenantCounts `json:"tenants"`
	Total   int            `json:"total"`
	Next    string         `json:"next"` // the cursor of the next page, "" if this is the last one
}

// TenantsPageOf returns the tenants of a ledger that follow a cursor, "" for the first ones.
func TenantsPageOf(l *model.Ledger, after string, limit int) (TenantsPage, error) {
	all := tenantsOf(l)
	first, last, next, err := pageOf(len(all), after, limit)
	return TenantsPage{Tenants: append([]TenantCounts{}, all[first:last]...), Total: len(all), Next: next}, err
}

// add counts an application.
func (t *TenantCounts) add(l *model.Ledger, in *model.Instance) {
	t.Phases[in.Phase]++
	if in.Refused != nil || in.Phase == model.PhaseRejected {
		t.Refused++
	}
	if severityOf(l, in).unwell() {
		t.Unwell++
	}
	if len(peopleWaits(in)) > 0 {
		t.NeedsPeople++
	}
	if in.Phase == model.PhaseAdmitted {
		if d, ok := l.Decision(in.App); ok && d.Verdict == model.VerdictWaiting {
			t.Waiting++
		}
	}
}

// peopleWaits returns the steps of an application that go on only if somebody acts.
func peopleWaits(in *model.Instance) (list []PeopleWait) {
	for _, w := range workflow.Waits(in.Run, in.RunSpec()) {
		if w.People {
			list = append(list, PeopleWait{App: in.App, Run: in.Run.Number, Step: w.Step, What: w.For, Until: w.Until, Action: w.Action})
		}
	}
	return list
}

package view_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
)

// large is a ledger of many tenants with applications in all states.
func large(tenants, each int) *model.Ledger {
	l := &model.Ledger{Commit: "c0", Platform: &model.Platform{Name: "prod", Bands: []model.Band{{Name: "high", Min: 500}, {Name: "low", Min: 100}},
		Pools: []model.PoolSpec{{Name: "general", OS: []string{"linux"}, Price: model.Price{CPU: 30_000}}}}}
	l.Pools = []model.Pool{{Name: "general", Nodes: 3, Capacity: model.Resources{CPU: 100_000_000, Memory: 1 << 50}}}
	for t := range tenants {
		tenant := fmt.Sprintf("t%04d", t)
		l.Tenants = append(l.Tenants, model.Tenant{Name: tenant, Weight: 1, Quota: &model.Resources{CPU: 4000}, MaxApplications: 5, Guarantee: model.Resources{CPU: 1000}})
		for a := range each {
			in := model.Instance{App: app(tenant, fmt.Sprintf("a%03d", a)), Number: 1, Phase: model.Phases[a%len(model.Phases)],
				Since: time.Date(2026, 1, 1, 0, (t*7+a*3)%50, 0, 0, time.UTC), Message: "because"}
			if in.Phase.Active() {
				in.Spec = &model.Application{ID: in.App, Priority: a % 7 * 100, Components: []model.Component{{Name: "web", Type: "worker", Replicas: 1}}}
				in.Components = []model.ComponentState{{Grant: model.Grant{Component: "web", Replicas: 1, Pool: "general", Requests: model.Resources{CPU: 1500, Memory: 1 << 30}}, State: model.StateReady}}
				in.Shown = &model.Shown{Components: []model.ShownComponent{{Component: "web", Told: 1, Ready: 1, Images: []string{"example.com/Web:1@sha256:ab"}}}}
			}
			if in.Phase == model.PhaseTerminated {
				in.Reason = model.ReasonRemoved
			}
			if in.Phase == model.PhaseAdmitted {
				l.Decisions = append(l.Decisions, model.Decision{App: in.App, Verdict: model.VerdictWaiting, Position: 1})
			}
			l.Instances = append(l.Instances, in)
		}
	}
	return l
}

func TestFleet(t *testing.T) {
	l := large(2, 14) // each phase twice in each tenant
	last := &l.Instances[len(l.Instances)-9]
	require.Equal(t, model.PhaseDegraded, last.Phase)
	last.Phase, last.Refused = model.PhaseRunning, &model.Refusal{Reason: model.ReasonQuotaExceeded}
	waits := &l.Instances[3] // it is Scheduled
	waits.Run = &model.Run{Number: 3, Phase: model.RunPaused, Deadline: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	v := view.FleetOf(l)
	require.Equal(t, "prod", v.Fleet)
	require.Equal(t, 4, v.Phases[model.PhaseCreated])
	require.Equal(t, 2, v.TenantsTotal)
	require.Equal(t, []string{"t0000", "t0001"}, []string{v.Tenants[0].Tenant, v.Tenants[1].Tenant})
	require.Equal(t, 1, v.Tenants[0].NeedsPeople)
	require.Equal(t, 2, v.Tenants[0].Waiting)
	require.Equal(t, 2, v.Tenants[0].Refused, "they are rejected")
	require.Equal(t, 3, v.Tenants[1].Refused, "and one whose update is")
	require.Equal(t, 10, v.Tenants[0].Unwell, "all but those that run and those that were removed")
	require.Equal(t, []view.PeopleWait{{App: waits.App, Run: 3, What: "somebody to resume the run", Until: waits.Run.Deadline, Action: "resume"}}, v.WaitsForPeople)

	// The size does not follow that of the fleet.
	size := func(tenants, each int) int {
		l := large(tenants, each)
		for i := range l.Instances {
			l.Instances[i].Run = waits.Run
		}
		b, err := view.JSON(view.FleetOf(l))
		require.NoError(t, err)
		return len(b)
	}
	require.InDelta(t, size(10, 70), size(10, 700), 1000)
	require.InDelta(t, size(1100, 7), size(2000, 7), 1000)
}

// TestApplicationPages: the pages of every query hold each row once, in order, and a row that comes or goes meanwhile moves
// no other one.
func TestApplicationPages(t *testing.T) {
	l := large(5, 21)
	all := func(l *model.Ledger, q view.ApplicationsQuery, between func()) (names []string) {
		for {
			p, err := view.ApplicationsPageOf(l, q)
			require.NoError(t, err)
			require.LessOrEqual(t, len(p.Applications), q.Limit)
			for _, a := range p.Applications {
				names = append(names, a.App.String())
			}
			if q.After = p.Next; q.After == "" {
				return names
			}
			between()
		}
	}
	for _, sort := range []string{"", "unwell", "name", "since"} {
		for _, phases := range [][]string{nil, {"Running", "Degraded"}, {"unwell"}} {
			whole := all(l, view.ApplicationsQuery{Sort: sort, Phases: phases, Limit: 1000}, nil)
			require.NotEmpty(t, whole)
			for _, limit := range []int{1, 2, 7} {
				q := view.ApplicationsQuery{Sort: sort, Phases: phases, Limit: limit}
				require.Equal(t, whole, all(l, q, func() {}))
			}
			less := *l
			gone := l.Instances[len(l.Instances)-1].App.String()
			got := all(&less, view.ApplicationsQuery{Sort: sort, Phases: phases, Limit: 2}, func() { less.Instances = l.Instances[:len(l.Instances)-1] })
			require.Subset(t, whole, got)
			require.GreaterOrEqual(t, len(got), len(whole)-1)
			for _, name := range whole {
				require.True(t, name == gone || slices.Contains(got, name))
			}
		}
	}
	total := func(q view.ApplicationsQuery) int {
		q.Limit = 1
		p, err := view.ApplicationsPageOf(l, q)
		require.NoError(t, err)
		return p.Total
	}
	require.Equal(t, 21, total(view.ApplicationsQuery{Tenant: "t0003"}))
	require.Equal(t, 15, total(view.ApplicationsQuery{Phases: []string{"Running"}}))
	require.Equal(t, 5*5*3, total(view.ApplicationsQuery{Phases: []string{"unwell"}}))
	require.Equal(t, 5, total(view.ApplicationsQuery{Text: "/A013"}))
	require.Equal(t, 5*9, total(view.ApplicationsQuery{Text: "com/web:1"}))
	require.Equal(t, 5*21, total(view.ApplicationsQuery{Text: "BECAUSE"}))
	first, err := view.ApplicationsPageOf(l, view.ApplicationsQuery{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, model.PhaseDegraded, first.Applications[0].Phase, "the worst first")
	for _, q := range []view.ApplicationsQuery{{Sort: "worst"}, {Phases: []string{"running"}}, {After: "x"}, {After: "1/x"}} {
		_, err := view.ApplicationsPageOf(l, q)
		require.Error(t, err, q)
	}
}

// TestUnwell: what people may want to look at.
func TestUnwell(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*model.Instance)
		want   bool
	}{
		"it runs":                        {func(*model.Instance) {}, false},
		"a component is not ready":       {func(in *model.Instance) { in.Components[0].State = model.StateUnready }, true},
		"a component is off":             {func(in *model.Instance) { in.Components[0].State = model.StateOff }, false},
		"its update is refused":          {func(in *model.Instance) { in.Refused = &model.Refusal{} }, true},
		"an object is refused":           {func(in *model.Instance) { in.Outcomes = []model.Outcome{{}} }, true},
		"it was removed":                 {func(in *model.Instance) { in.Phase, in.Reason = model.PhaseTerminated, model.ReasonRemoved }, false},
		"it is suspended":                {func(in *model.Instance) { in.Phase, in.Reason = model.PhaseTerminated, model.ReasonSuspended }, false},
		"it lost its place":              {func(in *model.Instance) { in.Phase, in.Reason = model.PhaseTerminated, model.ReasonEvicted }, true},
		"it ended because it cannot run": {func(in *model.Instance) { in.Phase, in.Reason = model.PhaseTerminated, model.ReasonUnrecoverable }, true},
		"it waits":                       {func(in *model.Instance) { in.Phase = model.PhaseAdmitted }, true},
	} {
		in := model.Instance{App: app("acme", "shop"), Phase: model.PhaseRunning, Components: []model.ComponentState{{State: model.StateReady}}}
		c.change(&in)
		p, err := view.ApplicationsPageOf(&model.Ledger{Instances: []model.Instance{in}}, view.ApplicationsQuery{Phases: []string{view.Unwell}, Limit: 1})
		require.NoError(t, err)
		require.Equal(t, c.want, p.Total == 1, name)
	}
	l := model.Ledger{Instances: []model.Instance{{App: app("acme", "shop"), Phase: model.PhaseRunning}}, Damaged: []model.DamagedRecord{{App: app("acme", "shop")}}}
	require.Equal(t, 1, view.FleetOf(&l).Tenants[0].Unwell, "its record is damaged")
}

func TestTenant(t *testing.T) {
	l := large(2, 14)
	l.Decisions = append(l.Decisions, model.Decision{App: app("t0001", "a013"), Shares: []model.TenantShare{{Of: "tenant t0001", Used: 20, FairShare: 500}}})
	l.OverQuota = []model.OverQuota{{Tenant: "t0000"}, {Tenant: "t0001", Resource: "cpu"}}
	l.Problems = []model.Problem{{Code: "DA1"}, {Code: "DA2", Tenant: "t0001"}}
	v, err := view.TenantOf(l, "t0001")
	require.NoError(t, err)
	require.Equal(t, "t0001", v.Tenant)
	require.Equal(t, 12, v.Applications)
	require.EqualValues(t, 6*45_000, v.CostPerHour)
	require.Len(t, v.OverQuota, 1)
	require.Equal(t, []string{"DA2"}, codes(v.Problems))
	n := func(n int64) *int64 { return &n }
	require.Equal(t, []model.Amount{
		{Resource: "cpu", Guarantee: 1000, Granted: 9000, Quota: n(4000), Headroom: n(0)},
		{Resource: "memory", Granted: 6 << 30, Quota: n(0), Headroom: n(0)},
		{Resource: "applications", Granted: 12, Quota: n(5), Headroom: n(0)},
		{Resource: "workloads", Granted: 6},
	}, v.Amounts)
	require.Equal(t, "tenant t0001", v.Shares[0].Of)

	l.Tenants = nil
	v, err = view.TenantOf(l, "t0001")
	require.NoError(t, err, "it has applications")
	require.False(t, v.Declared)
	_, err = view.TenantOf(l, "none")
	require.EqualError(t, err, "the status branch knows no tenant none; it knows t0000, t0001")
}

func TestPools(t *testing.T) {
	l := large(30, 7)
	v := view.PoolsOf(l)
	require.Len(t, v.Pools, 1)
	require.Equal(t, []string{"linux"}, v.Pools[0].OS)
	cpu := v.Pools[0].Resources[0]
	require.Equal(t, "cpu", cpu.Resource)
	require.EqualValues(t, 30*3*1500, cpu.Granted)
	require.EqualValues(t, 100_000_000-30*3*1500, cpu.Free)
	require.Len(t, cpu.Tenants, 20)
	require.EqualValues(t, 10*3*1500, cpu.Others)
	require.Equal(t, []view.NamedShare{{Name: "high", Granted: 30 * 1500}, {Name: "low", Granted: 60 * 1500}}, cpu.Bands)
	require.False(t, v.Pools[0].Declared)
	l.Platform.Pools[0].Capacity = &model.Resources{CPU: 1}
	require.True(t, view.PoolsOf(l).Pools[0].Declared)
	l.Platform = nil
	require.Len(t, view.PoolsOf(l).Pools[0].Resources[0].Bands, 1)
}

func TestProblemPages(t *testing.T) {
	l := fleet()
	p, err := view.ProblemsPageOf(l, "", 3)
	require.NoError(t, err)
	require.Equal(t, []string{"DA1001", "DA1002", "DA1003"}, codes(p.Problems))
	require.Equal(t, 4, p.Total)
	p, err = view.ProblemsPageOf(l, p.Next, 3)
	require.NoError(t, err)
	require.Equal(t, []string{"DA1004"}, codes(p.Problems))
	require.Empty(t, p.Next)
	p, err = view.ProblemsPageOf(l, "99", 3)
	require.NoError(t, err)
	require.Empty(t, p.Problems)
	_, err = view.ProblemsPageOf(l, "-1", 3)
	require.Error(t, err)
}

func TestTenantPages(t *testing.T) {
	l := large(7, 3)
	all := view.FleetOf(l).Tenants
	var paged []view.TenantCounts
	for after, more := "", true; more; {
		p, err := view.TenantsPageOf(l, after, 2)
		require.NoError(t, err)
		require.Equal(t, len(all), p.Total)
		require.LessOrEqual(t, len(p.Tenants), 2)
		paged, after, more = append(paged, p.Tenants...), p.Next, p.Next != ""
	}
	require.Equal(t, all, paged)
	_, err := view.TenantsPageOf(l, "acme", 2)
	require.Error(t, err)
}

func TestChanges(t *testing.T) {
	from, to := large(3, 7), large(3, 7)
	to.Instances = append(to.Instances[1:], model.Instance{App: app("zeta", "new"), Phase: model.PhaseCreated})
	moved := &to.Instances[3]
	moved.Phase = model.PhaseDegraded
	moved.History = []model.Transition{{At: moved.Since, Instance: 1, To: model.PhaseDegraded, Reason: model.ReasonNotReady}}
	same := &to.Instances[4] // it only says something else
	same.Message = "otherwise"
	v := view.ChangesOf(from, to, moved.Since)
	require.Equal(t, 3, v.ApplicationsTotal)
	require.Nil(t, v.Applications[0].After)
	require.Equal(t, from.Instances[0].App, v.Applications[0].App)
	require.Equal(t, moved.App, v.Applications[1].App)
	require.Nil(t, v.Applications[2].Before)
	require.Equal(t, 1, v.EventsTotal)
	require.Equal(t, announce.Transition, v.Events[0].Kind)
	v = view.ChangesOf(from, from, moved.Since)
	require.Empty(t, v.Applications)
	require.Equal(t, []announce.Announcement{}, v.Events, "[] and not null in JSON")
	require.Len(t, view.ChangesOf(&model.Ledger{}, large(100, 7), moved.Since).Applications, 500)
}

func TestTimeline(t *testing.T) {
	moves := []announce.Announcement{{Kind: announce.Transition}, {Kind: announce.Step}}
	read := []status.Entry{{Commit: "b", Changes: moves}, {Commit: "a", Changes: make([]announce.Announcement, 30)}, {Commit: "9"}}
	v := view.TimelineOf(read, "9", func(commit string) string { return "is " + commit })
	require.Equal(t, "9", v.Next)
	require.Equal(t, 1, v.Commits[0].Transitions)
	require.Equal(t, moves, v.Commits[0].Changes)
	require.Equal(t, "is a", v.Commits[1].Unverified)
	require.Len(t, v.Commits[1].Changes, 20)
	require.Equal(t, 30, v.Commits[1].ChangesTotal)
	require.NotNil(t, v.Commits[2].Changes, "[] and not null in JSON")
	require.NotNil(t, view.TimelineOf(nil, "", nil).Commits)
}

func TestRun(t *testing.T) {
	l := fleet()
	v, err := view.RunOf(l, app("acme", "shop"))
	require.NoError(t, err)
	require.Equal(t, 4, v.Run.Number)
	require.Nil(t, v.Steps, "no record has its spec")
	_, err = view.RunOf(l, app("acme", "none"))
	require.Error(t, err)
}

package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// at makes an application that stands somewhere.
type at struct {
	name     string
	phase    model.Phase
	replicas int // granted of 4
	reason   model.Reason
	position int
	image    string
	priority int
	refused  *model.Refusal
}

func outcome(apps ...at) *Outcome {
	o := &Outcome{}
	o.Fleet.Platform = &model.Platform{Pools: []model.PoolSpec{{Name: "general", Price: model.Price{CPU: 30_000, Memory: 4_000}}}}
	for _, a := range apps {
		id := model.AppID{Tenant: "acme", Name: a.name}
		spec := model.Application{ID: id, Priority: a.priority, Components: []model.Component{{
			Name: "web", Replicas: 4, Requests: model.Resources{CPU: 500, Memory: 1 << 30}, Properties: []byte(`{"image":"` + a.image + `"}`),
		}}}.Seal()
		in := model.Instance{App: id, Number: 1, Phase: a.phase, Reason: a.reason, Refused: a.refused}
		d := model.Decision{App: id, Verdict: model.VerdictWaiting, Reason: a.reason, Position: a.position, Message: fmt.Sprintf("number %d", a.position)}
		if a.phase.Active() {
			in.Spec = &spec
			g := model.Grant{Component: "web", Replicas: a.replicas, Requests: spec.Components[0].Requests, Pool: "general"}
			in.Components = []model.ComponentState{{Grant: g}}
			d.Verdict, d.Degraded, d.Spec = model.VerdictGranted, a.replicas < 4, spec.Digest
		}
		o.Fleet.Applications = append(o.Fleet.Applications, &spec)
		o.Ledger.Instances = append(o.Ledger.Instances, in)
		o.Ledger.Decisions = append(o.Ledger.Decisions, d)
	}
	return o
}

func TestEffects(t *testing.T) {
	runs, low := at{phase: model.PhaseRunning, replicas: 4}, at{phase: model.PhaseRunning, replicas: 2}
	waits, second := at{phase: model.PhaseAdmitted, position: 1}, at{phase: model.PhaseAdmitted, position: 2}
	rejected := at{phase: model.PhaseRejected, reason: model.ReasonQuotaExceeded}
	ended := at{phase: model.PhaseTerminated, reason: model.ReasonRemoved}
	evicted := at{phase: model.PhaseTerminated, reason: model.ReasonEvicted}
	newer := at{phase: model.PhaseScheduled, replicas: 4, image: "2"}
	refused := at{phase: model.PhaseRunning, replicas: 4, refused: &model.Refusal{Reason: model.ReasonQuotaExceeded}}
	more := at{phase: model.PhaseRunning, replicas: 1}
	prior := at{phase: model.PhaseRunning, replicas: 4, priority: 50}
	for _, c := range []struct {
		name   string
		before *at
		after  *at
		want   Effect
	}{
		{"appears", nil, &runs, Admitted},
		{"appears without room", nil, &waits, Waiting},
		{"appears with less", nil, &low, Admitted},
		{"appears and is refused", nil, &rejected, Rejected},
		{"gets its place", &waits, &runs, Admitted},
		{"is pushed out at once", &runs, &evicted, Evicted},
		{"is pushed out and waits", &runs, &waits, Evicted},
		{"would have been pushed out too", &evicted, &evicted, ""},
		{"is deleted", &runs, &ended, Removed},
		{"is deleted while it waits", &waits, &ended, Removed},
		{"was deleted long ago", &ended, &ended, ""},
		{"is forgotten", &waits, nil, Removed},
		{"shrinks", &runs, &low, Degraded},
		{"shrinks more", &low, &more, Regranted},
		{"grows", &low, &runs, Restored},
		{"is changed", &runs, &newer, Updated},
		{"gets another priority", &runs, &prior, Readmitted},
		{"gets another priority and less", &prior, &low, Degraded},
		{"is changed in vain", &runs, &refused, Refused},
		{"was refused before", &refused, &refused, ""},
		{"falls back in the line", &waits, &second, Requeued},
		{"is no more refused but waits", &rejected, &waits, Waiting},
		{"stays", &runs, &runs, ""},
	} {
		one := func(a *at) *Outcome {
			if a == nil {
				return outcome()
			}
			named := *a
			named.name = "shop"
			return outcome(named)
		}
		changes := Compare(one(c.before), one(c.after))
		var got Effect
		if len(changes.Applications) > 0 {
			got = changes.Applications[0].Effect
		}
		require.Equal(t, c.want, got, c.name)
		require.Equal(t, c.want == Rejected || c.want == Refused, changes.Refuses(), c.name)
	}
}

// Applications that go on by the same other rules are one row, which says what differs.
func TestRulesOfManyAreOneRow(t *testing.T) {
	fleet := func(priority int) *Outcome {
		var apps []at
		for i := range 300 {
			apps = append(apps, at{name: fmt.Sprintf("app%03d", i), phase: model.PhaseRunning, replicas: 4, priority: priority, reason: model.ReasonFits})
		}
		apps[200].priority, apps[201].image = 7*priority, fmt.Sprint(priority)
		return outcome(apps...)
	}
	c := Compare(fleet(0), fleet(50))
	require.Len(t, c.Applications, 300, "JSON has all")
	rows, more := c.Shown()
	require.Zero(t, more)
	var said []string
	for _, r := range rows {
		said = append(said, fmt.Sprintf("%s %s: %s", r.Effect, r.Name(), r.Why()))
	}
	require.Equal(t, []string{
		"updated acme/app201: Fits: number 0",
		"readmitted acme/app000 and 297 more: priority: 0 → 50 (application)",
		"readmitted acme/app200: priority: 0 → 350 (application)",
	}, said)
	require.Empty(t, c.Applications[0].Changes, "another release has no list of rules")
}

// What matters most comes first, and then the names.
func TestOrderAndPrice(t *testing.T) {
	before := outcome(at{name: "a", phase: model.PhaseAdmitted, position: 1}, at{name: "b", phase: model.PhaseRunning, replicas: 4}, at{name: "c", phase: model.PhaseRunning, replicas: 4})
	after := outcome(at{name: "a", phase: model.PhaseRunning, replicas: 4}, at{name: "b", phase: model.PhaseRunning, replicas: 2},
		at{name: "c", phase: model.PhaseAdmitted, position: 1}, at{name: "d", phase: model.PhaseRejected})
	c := Compare(before, after)
	var said []string
	for _, a := range c.Applications {
		said = append(said, a.App.Name+" "+string(a.Effect))
	}
	require.Equal(t, []string{"d rejected", "c evicted", "b degraded", "a admitted"}, said)
	// A replica costs half a core at 0.03 and a GiB at 0.004 per hour.
	require.Equal(t, Price{8 * 19_000, 6 * 19_000}, c.Price)
	require.Equal(t, []Tenant{{"acme", c.Price}}, c.Tenants)
	require.Equal(t, Price{4 * 19_000, 0}, c.Applications[1].Price)
	require.Equal(t, "web", c.Applications[2].Grants[0].Component)
	require.False(t, c.Applications[2].Edited)
	require.True(t, c.Applications[0].Edited, "it is new")

	again := Compare(after, after)
	require.True(t, again.Empty())
}

func TestProblems(t *testing.T) {
	before, after := outcome(), outcome()
	old := model.Problem{Code: "DA1203", Path: "x", Message: "m", Places: []model.Place{{At: "a.cue:1:1"}}}
	moved := old
	moved.Places = []model.Place{{At: "a.cue:9:1"}}
	solved := model.Problem{Code: "DA1101", Message: "typo"}
	fresh := model.Problem{Code: "DA1302", Message: "sum"}
	before.Fleet.Problems = []model.Problem{old, solved}
	after.Fleet.Problems = []model.Problem{fresh, moved}
	c := Compare(before, after)
	require.Equal(t, []model.Problem{fresh}, c.Problems)
	require.Equal(t, []model.Problem{solved}, c.Solved)
	require.True(t, c.Refuses())
}

func TestObjects(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	object := func(kind, name, json string, outlives bool) Object {
		return Object{App: app, Kind: kind, Namespace: "acme", Name: name, JSON: []byte(json), Outlives: outlives}
	}
	before, after := outcome(), outcome()
	before.Objects = []Object{
		object("PersistentVolumeClaim", "data", `{}`, true),
		object("Service", "old", `{}`, false),
		object("Deployment", "web", `{"spec":{"replicas":3,"c":[{"name":"side"},{"name":"web","image":"a:1","args":["x","y"]}],"labels":{"a.b/c":"1"}}}`, false),
		object("Service", "web", `{"a":1}`, false),
	}
	after.Objects = []Object{
		object("Service", "new", `{}`, false),
		object("Service", "web", `{"a":1}`, false),
		object("Deployment", "web", `{"spec":{"replicas":5,"c":[{"name":"web","image":"a:2","args":["x","z"]}],"labels":{}}}`, false),
	}
	var said strings.Builder
	for _, o := range Compare(before, after).Objects {
		fmt.Fprintln(&said, o.Action, o.Kind, o.Namespace+"/"+o.Name, "of", o.Owner)
		for _, f := range o.Fields {
			fmt.Fprintf(&said, "  %s: %s -> %s\n", f.Path, f.Before, f.After)
		}
	}
	require.Equal(t, `change Deployment acme/web of acme/shop
  spec.c[side]: {"name":"side"} -> 
  spec.c[web].args[1]: "y" -> "z"
  spec.c[web].image: "a:1" -> "a:2"
  spec.labels[a.b/c]: "1" -> 
  spec.replicas: 3 -> 5
keep PersistentVolumeClaim acme/data of acme/shop
add Service acme/new of acme/shop
remove Service acme/old of acme/shop
`, said.String())
	require.Equal(t, []FieldChange{{Path: "", Before: []byte(`"no"`), After: []byte(`"JSON"`)}}, Fields([]byte("no"), []byte("JSON")))
}

package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestTouched: a tenant whose application changes has its price and the headroom of its quota on both sides.
func TestTouched(t *testing.T) {
	web := at{name: "shop", phase: model.PhaseRunning, replicas: 2}
	before, more := outcome(web), web
	more.replicas = 4
	after := outcome(more)
	for _, o := range []*Outcome{before, after} {
		o.Fleet.Tenants = []model.Tenant{{Name: "acme", Quota: &model.Resources{CPU: 3000, Memory: 8 << 30}}, {Name: "other"}}
	}
	c := Compare(before, after)
	require.Len(t, c.Touched, 1, "nothing of the other one differs")
	got := c.Touched[0]
	require.Equal(t, "acme", got.Tenant)
	require.Equal(t, c.Price, got.Price)
	said := map[string]string{}
	for _, a := range got.Amounts {
		said[a.Resource] = a.Headroom()
	}
	require.Equal(t, map[string]string{"cpu": "2 → 1", "memory": "6Gi → 4Gi", "applications": "no quota", "workloads": "no quota"}, said)

	after = outcome(web)
	after.Fleet.Tenants = []model.Tenant{{Name: "acme", Quota: &model.Resources{CPU: 2500, Memory: 8 << 30}}}
	c = Compare(before, after)
	require.Equal(t, "2 → 1.5", c.Touched[0].Amounts[0].Headroom(), "the quota alone differs")
	require.Empty(t, c.Tenants, "the price is the same")
	require.Empty(t, Compare(before, before).Touched)
}

// TestWaits: who waits after a change, in order, with the place before; a whole fleet does not make the answer long.
func TestWaits(t *testing.T) {
	before := outcome(at{name: "a", phase: model.PhaseAdmitted, position: 1}, at{name: "b", phase: model.PhaseAdmitted, position: 2})
	after := outcome(at{name: "a", phase: model.PhaseAdmitted, position: 2}, at{name: "b", phase: model.PhaseAdmitted, position: 1}, at{name: "c", phase: model.PhaseAdmitted, position: 3})
	w := Compare(before, after).Waits
	require.Equal(t, 3, w.Total)
	for i, want := range []string{"acme/b 1 was 2", "acme/a 2 was 1", "acme/c 3 was 0"} {
		require.Equal(t, want, fmt.Sprintf("%s %d was %d", w.First[i].App, w.First[i].Position, w.First[i].Before))
	}
	var many []at
	for i := range 3 * mostWaits {
		many = append(many, at{name: fmt.Sprint("a", i), phase: model.PhaseAdmitted, position: i + 1})
	}
	w = Compare(before, outcome(many...)).Waits
	require.Equal(t, 3*mostWaits, w.Total)
	require.Len(t, w.First, mostWaits)
}

// TestUnifiedDiffs: an object is compared line by line; values of secrets stay out, and an answer has a limit.
func TestUnifiedDiffs(t *testing.T) {
	object := func(kind, name, more string) Object {
		return Object{Kind: kind, Name: name, JSON: []byte(`{"kind":"` + kind + `",` + more + `}`)}
	}
	c := Changes{Objects: compareObjects(
		[]Object{object("Deployment", "web", `"spec":{"replicas":2}`), object("Secret", "s", `"data":{"a":"b2xk","b":"c2FtZQ==","c":"Z29uZQ=="}`)},
		[]Object{object("Deployment", "web", `"spec":{"replicas":3}`), object("Secret", "s", `"data":{"a":"bmV3","b":"c2FtZQ==","d":"Y29tZXM="}`)},
		nil,
	)}
	require.Zero(t, c.Unify())
	require.Equal(t, "--- a/deployment/web\n+++ b/deployment/web\n@@ -1,3 +1,3 @@\n kind: Deployment\n spec:\n-  replicas: 2\n+  replicas: 3\n", c.Objects[0].Diff)
	require.Equal(t, "--- a/secret/s\n+++ b/secret/s\n@@ -1,5 +1,5 @@\n data:\n-  a: (hidden)\n+  a: (hidden, another value)\n   b: (hidden)\n-  c: (hidden)\n+  d: (hidden)\n kind: Secret\n", c.Objects[1].Diff)
	told, err := json.Marshal(c)
	require.NoError(t, err)
	for _, value := range []string{"b2xk", "bmV3", "c2FtZQ", "Z29uZQ", "Y29tZXM"} {
		require.NotContains(t, string(told), value)
	}

	long := strings.Repeat(`{"name":"x"},`, 5000)
	var many []Object
	for i := range 100 {
		many = append(many, object("Deployment", fmt.Sprint(i), `"list":[`+strings.TrimSuffix(long, ",")+`]`))
	}
	c = Changes{Objects: compareObjects(nil, many, nil)}
	require.Positive(t, c.Unify())
	sum := 0
	for _, o := range c.Objects {
		require.LessOrEqual(t, len(o.Diff), maxDiff+10)
		sum += len(o.Diff)
	}
	require.LessOrEqual(t, sum, maxDiffs+maxDiff+10)
}

// TestASecretThatTurnsIsHidden: what was a secret until now is not shown because it becomes a config, or the other way round.
func TestASecretThatTurnsIsHidden(t *testing.T) {
	secret := Object{Kind: "Secret", Namespace: "acme", Name: "shop-db", JSON: []byte(`{"kind":"Secret","data":{"key":"aHVudGVyMg=="}}`)}
	config := Object{Kind: "ConfigMap", Namespace: "acme", Name: "shop-db", JSON: []byte(`{"kind":"ConfigMap","data":{"key":"hunter2"}}`)}
	for _, sides := range [][2]Object{{secret, config}, {config, secret}} {
		c := Changes{Objects: compareObjects(sides[:1], sides[1:], nil)}
		require.Zero(t, c.Unify())
		require.Len(t, c.Objects, 2)
		told, err := json.Marshal(c)
		require.NoError(t, err)
		require.NotContains(t, string(told), "hunter2")
		require.NotContains(t, string(told), "aHVudGVyMg")
	}
}

// TestVolumesOfARemoval: volumes that the cluster makes for a StatefulSet are told when it ends, and stay, unless the application goes with its
// data; nobody is told when they come. While the application is declared, they stay in any case.
func TestVolumesOfARemoval(t *testing.T) {
	db := model.AppID{Tenant: "acme", Name: "db"}
	before := func(disposed bool) []Object {
		return []Object{
			{App: db, Kind: "StatefulSet", Name: "db", JSON: []byte(`{}`)},
			{App: db, Kind: "PersistentVolumeClaim", Name: "data-db-0", Outlives: true, Disposed: disposed, Made: true},
		}
	}
	actions := func(before, after []Object, declared bool) (all []Action) {
		for _, o := range compareObjects(before, after, map[model.AppID]bool{db: declared}) {
			all = append(all, o.Action)
		}
		return all
	}
	require.Equal(t, []Action{Keep, Remove}, actions(before(false), nil, false))
	require.Equal(t, []Action{Remove, Remove}, actions(before(true), nil, false))
	require.Equal(t, []Action{Keep, Remove}, actions(before(true), nil, true))
	require.Equal(t, []Action{Add}, actions(nil, before(false), true))
	require.Empty(t, actions(before(false), before(false), true))
}

package world

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func id(name string) model.AppID { return model.AppID{Tenant: "acme", Name: name} }

func app(name string, replicas int) model.Application {
	return model.Application{ID: id(name), Desired: "running", Components: []model.Component{{
		Name: "web", Type: "worker", Replicas: replicas, Requests: model.Resources{CPU: 1000},
	}}}
}

// ruling grants replicas by name; a negative number evicts, 0 lets wait.
func ruling(w *World, replicas map[string]int, degraded bool) (r model.Ruling) {
	for i := range w.Ledger.Instances {
		app := w.App(w.Ledger.Instances[i].App)
		d := model.Decision{App: app.ID, Spec: app.Digest, Verdict: model.VerdictWaiting}
		switch n := replicas[app.ID.Name]; {
		case n < 0:
			d.Verdict = model.VerdictEvicted
		case n > 0:
			d.Verdict, d.Degraded = model.VerdictGranted, degraded
			d.Grants = []model.Grant{{Component: "web", Replicas: n, Requests: app.Components[0].Requests, Pool: "general"}}
		}
		r.Decisions = append(r.Decisions, d)
	}
	return r
}

func TestRulingsComeTrue(t *testing.T) {
	w := New(model.Platform{})
	w.Declare(app("b", 3), app("a", 1))
	c := w.Apply(ruling(w, map[string]int{"b": 3}, false))
	require.Equal(t, Changes{Admitted: []model.AppID{id("b")}}, c)
	require.Equal(t, model.Resources{CPU: 3000}, w.Used("general"))

	began := w.Now
	w.Now = w.Now.Add(time.Minute)
	require.True(t, w.Apply(ruling(w, map[string]int{"b": 3}, false)).None())
	b, _ := w.Ledger.Find(id("b"))
	require.Equal(t, began, b.Since, "nothing has changed")

	require.Equal(t, Changes{Reduced: []model.AppID{id("b")}}, w.Apply(ruling(w, map[string]int{"b": 1}, true)))
	require.Equal(t, model.PhaseDegraded, b.Phase)
	require.Equal(t, w.Now, b.Since)
	require.Equal(t, Changes{Raised: []model.AppID{id("b")}}, w.Apply(ruling(w, map[string]int{"b": 3}, false)))
	require.Equal(t, Changes{Admitted: []model.AppID{id("a")}, Evicted: []model.AppID{id("b")}}, w.Apply(ruling(w, map[string]int{"b": -1, "a": 1}, false)))
	require.Equal(t, model.Resources{CPU: 1000}, w.Used("general"))
	w.Apply(ruling(w, map[string]int{"b": 3}, false))
	require.Equal(t, 2, b.Number, "who comes back is a new instance")
}

func TestRemove(t *testing.T) {
	w := New(model.Platform{})
	w.Declare(app("a", 1), app("b", 1), app("c", 1))
	w.Remove(id("a"), id("nobody"))
	require.Nil(t, w.App(id("a")))
	require.Equal(t, id("c"), w.App(id("c")).ID)
	require.Len(t, w.Ledger.Instances, 2)
	w.Declare(app("c", 5))
	require.Len(t, w.Fleet.Applications, 2, "c has changed and is not new")
	require.Equal(t, 5, w.App(id("c")).Components[0].Replicas)
}

func TestShuffleMovesAndLosesNothing(t *testing.T) {
	w := New(model.Platform{})
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		w.Declare(app(name, 1))
	}
	before := w.Fleet.Applications
	w.Shuffle(rand.New(rand.NewPCG(1, 2)))
	require.NotEqual(t, before, w.Fleet.Applications)
	require.ElementsMatch(t, before, w.Fleet.Applications)
	require.Equal(t, id("c"), w.App(id("c")).ID)
}

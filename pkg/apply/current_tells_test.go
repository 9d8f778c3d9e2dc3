package apply

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// TestEarlierWorkTellsNothingOfANewerSet: work on a set may end after a call with a newer one has joined it, and before that
// looks what it came to. The newer set is not what was applied, so a later call begins it.
func TestEarlierWorkTellsNothingOfANewerSet(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	set := func(revision string) *render.Set { return &render.Set{App: app, Revision: revision} }
	a := &Applier{live: newLive(&client{}, nil, nil, Options{}), current: map[model.AppID]*work{}}
	w := &work{pass: &pass{Applier: a}, set: set("1"), report: &SetReport{App: app}, done: make(chan struct{})}
	a.current[app] = w
	close(w.done)

	r, err := a.collect(w, set("2"))
	require.NoError(t, err)
	require.True(t, r.UnderWay)
	require.Len(t, a.live.Changed(), 1, "a pass comes at once")
	r, err = a.collect(w, set("1"))
	require.NoError(t, err)
	require.False(t, r.UnderWay)
	require.Empty(t, a.current)
}

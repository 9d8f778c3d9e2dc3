package reconcile

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// unwritable is a status branch that cannot be written while it is down.
type unwritable struct {
	Ledger
	down *bool
}

func (u unwritable) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	if *u.down {
		return model.Ledger{}, false, errors.New("the server refuses the push")
	}
	return u.Ledger.Commit(ctx, previous, next)
}

var (
	acmeShared = model.AppID{Tenant: "acme"}
	acmeDocs   = model.AppID{Tenant: "acme", Name: "docs"}
	acmeShop   = model.AppID{Tenant: "acme", Name: "shop"}
)

// carried makes a pass and returns what it carried out. An error is for the caller if it
// is expected.
func (c *carrying) carried(t *testing.T, fails ...string) []model.AppID {
	clear(c.acted)
	c.k.now = c.k.now.Add(time.Second)
	_, err := c.k.loop.Pass(t.Context())
	if len(fails) > 0 {
		require.ErrorContains(t, err, fails[0])
	} else {
		require.NoError(t, err)
	}
	return slices.SortedFunc(maps.Keys(c.acted), model.AppID.Compare)
}

// newWhole returns a keeper of two applications, one of which has a secret, whose ledger
// was carried out whole.
func newWhole(t *testing.T, options ...func(*Options)) (*keeper, *carrying) {
	k, c := newCarrying(t, 0)
	k.start(options...)
	k.worker("docs", "1", "")
	k.Write("tenants/acme/apps/shop/app.cue", `package fleet

application: {
	name: "shop"
	components: {
		web: {type: "worker", properties: image: "registry.example.com/web:1", resources: requests: {cpu: "10m", memory: "16Mi"}}
		key: {type: "secret", properties: data: token: "eA=="}
	}
}
`)
	k.by("ann")
	k.settle()
	require.Empty(t, c.carried(t))
	require.Equal(t, k.loop.saved.Revision, k.loop.done.whole)
	return k, c
}

// TestWhatWasCarriedOutIsCarriedOutAgain: a ledger of which nothing was due is not looked
// at again, but after everything by which something of it may be due.
func TestWhatWasCarriedOutIsCarriedOutAgain(t *testing.T) {
	everything := []model.AppID{acmeShared, acmeDocs, acmeShop}
	without := func(o *Options, down *bool) { o.Status = unwritable{o.Status, down} }

	t.Run("its objects drifted", func(t *testing.T) {
		_, c := newWhole(t)
		for _, drifted := range [][]model.AppID{{acmeShop}, {acmeShared}, everything} {
			c.drifted = drifted
			require.Equal(t, drifted, c.carried(t))
			c.drifted = nil
			require.Empty(t, c.carried(t))
			require.Empty(t, c.carried(t))
		}
	})
	t.Run("somebody else wrote", func(t *testing.T) {
		k, c := newWhole(t)
		before, err := k.loop.o.Status.Load(t.Context())
		require.NoError(t, err)
		after := before
		after.Instances = slices.Clone(before.Instances)
		after.Instances[0].Message = "somebody else wrote this"
		after.Instances[0].Revision, after.Revision = model.Revision{}, model.Revision{}
		_, changed, err := k.loop.o.Status.Commit(t.Context(), before, after)
		require.NoError(t, err)
		require.True(t, changed)
		require.Equal(t, []model.AppID{acmeShared, acmeDocs}, c.carried(t))
	})
	t.Run("it failed", func(t *testing.T) {
		k, c := newWhole(t)
		c.drifted, c.failing = []model.AppID{acmeDocs}, true
		require.Equal(t, []model.AppID{acmeDocs}, c.carried(t))
		c.drifted = nil
		retry, ok := k.loop.done.next()
		require.True(t, ok)
		for k.now.Add(time.Second).Before(retry) {
			require.Empty(t, c.carried(t), "it waits")
		}
		require.Equal(t, []model.AppID{acmeDocs}, c.carried(t))
		retry, _ = k.loop.done.next()
		c.failing = false
		for k.now.Add(time.Second).Before(retry) {
			require.Empty(t, c.carried(t), "it waits longer")
		}
		require.Equal(t, []model.AppID{acmeDocs}, c.carried(t))
		require.Empty(t, c.carried(t))
	})
	t.Run("the values of secrets were not known without Git", func(t *testing.T) {
		k, c := newWhole(t)
		k.Git("branch", "-q", "-m", "main", "away")
		k.start()
		require.Equal(t, everything, c.carried(t, "main"))
		require.Empty(t, c.carried(t, "main"))
		require.Empty(t, c.carried(t, "main"))
		k.Git("branch", "-q", "-m", "away", "main")
		require.Equal(t, everything, c.carried(t))
		require.Empty(t, c.carried(t))
	})
	t.Run("the values of secrets were not known where nothing could be saved", func(t *testing.T) {
		k, c := newWhole(t)
		down := true
		k.start(func(o *Options) { without(o, &down) })
		k.worker("docs", "2", "")
		k.by("ann")
		require.Equal(t, everything, c.carried(t, "refuses the push"))
		require.Empty(t, c.carried(t, "refuses the push"))
		require.Empty(t, c.carried(t, "refuses the push"))
		down = false
		require.Equal(t, everything, c.carried(t))
	})
	t.Run("a secret drifts while nothing can be saved", func(t *testing.T) {
		down := false
		k, c := newWhole(t, func(o *Options) { without(o, &down) })
		down = true
		k.worker("docs", "2", "")
		k.by("ann")
		c.drifted = []model.AppID{acmeShop}
		require.Equal(t, []model.AppID{acmeShop}, c.carried(t, "refuses the push"))
		c.drifted = nil
		spec := k.loop.acted.Instances[1].Spec
		key, _ := spec.Component("key")
		require.False(t, key.Redacted(), "the values that were carried out before are put back")
	})
	t.Run("an orphan is confirmed", func(t *testing.T) {
		l := New(Options{})
		ledger := model.Ledger{Platform: &model.Platform{}, Revision: model.Revision{1}, Orphans: []model.Inventory{{App: acmeShop, Instance: 1}}}
		now := l.o.Now()
		require.Empty(t, l.due(&ledger, now))
		require.Equal(t, ledger.Revision, l.done.whole)
		ledger.Orphans[0].Confirmed = true // of more orphans than the branch keeps
		require.Len(t, l.due(&ledger, now), 1)
		l.done.failed(acmeShop, now)
		require.Empty(t, l.due(&ledger, now))
		require.Len(t, l.due(&ledger, now.Add(firstWait)), 1)
	})
}

// TestARetryOfWhatNothingAsksForIsForgotten: it would be due in every pass, so that the
// next one never waited.
func TestARetryOfWhatNothingAsksForIsForgotten(t *testing.T) {
	l := New(Options{})
	ledger := model.Ledger{Platform: &model.Platform{}, Revision: model.Revision{1}}
	now := l.o.Now()
	require.Empty(t, l.due(&ledger, now))
	ledger.Orphans = []model.Inventory{{App: acmeShop, Instance: 1, Confirmed: true}}
	require.Len(t, l.due(&ledger, now), 1)
	l.done.failed(acmeShop, now)
	ledger.Orphans = nil
	require.Empty(t, l.due(&ledger, now))
	_, waits := l.done.next()
	require.True(t, waits, "it may be asked for again before")
	require.Empty(t, l.due(&ledger, now.Add(firstWait)))
	_, waits = l.done.next()
	require.False(t, waits)
}

// TestLayersThatAreNotSavedAreNotCarriedOut: while the branch cannot be written or read,
// what was saved is carried out, and not what Git has said since.
func TestLayersThatAreNotSavedAreNotCarriedOut(t *testing.T) {
	down := true
	k, c := newCarrying(t, 0)
	k.start(func(o *Options) { o.Status = unwritable{o.Status, &down} })
	require.Empty(t, c.carried(t, "refuses the push"), "nothing was ever saved")
	require.NoError(t, k.loop.holdCourse(t.Context(), &Report{}))
	require.Empty(t, c.acted)
	down = false
	k.settle()

	down = true
	objects := maps.Clone(c.objects)
	k.tenant(`quota: {cpu: "2", memory: "4Gi"}
	access: {principals: {ann: ssh: [%q], bob: ssh: [%q]}, admins: ["ann"], owners: shop: ["bob"]}`, k.public["ann"], k.public["bob"])
	k.platform(`access: {enforce: "signed", principals: root: ssh: [%q], admins: ["root"]}`, k.public["root"])
	k.by("root")
	c.drifted = []model.AppID{acmeShared}
	require.Equal(t, c.drifted, c.carried(t, "refuses the push"))
	require.Equal(t, objects, c.objects)
	require.NoError(t, k.loop.holdCourse(t.Context(), &Report{}))
	require.Equal(t, objects, c.objects, "nor while it cannot be read")
	c.drifted, down = nil, false
	require.Equal(t, []model.AppID{acmeShared}, c.carried(t))
	require.NotEqual(t, objects, c.objects)
}

package apply_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/tier"
)

// small are options with inventories of some four objects a part.
func (f *fixture) small() apply.Options {
	return apply.Options{Fleet: f.fleet, Patience: patience, InventorySize: 4 * 90}
}

// many are so many ConfigMaps.
func many(n int, value string) (manifests []string) {
	for i := range n {
		manifests = append(manifests, configMap(fmt.Sprintf("c%05d", i), value))
	}
	return manifests
}

// parts lists the parts of the inventory of an application, each with its size.
func (f *fixture) parts(app string) map[string]int {
	f.t.Helper()
	list, err := f.Clientset.CoreV1().ConfigMaps(f.fleet).List(f.t.Context(), metav1.ListOptions{})
	require.NoError(f.t, err)
	found := map[string]int{}
	for _, c := range list.Items {
		if rest, ok := strings.CutPrefix(c.Name, "d-aros.inventory."+app); ok {
			found[rest] = len(c.Data)
		}
	}
	return found
}

// TestInventoryInParts: an inventory that is too large for one object has several. They count as
// one, a change writes those that list it, and they go with what they list.
func TestInventoryInParts(t *testing.T) {
	f := setup(t)
	a := f.applierWith(f.Config, f.small())
	whole := f.set("shop", many(10, "1")...)
	f.apply(a, f.tenant(), whole)
	parts := f.parts("shop")
	require.Greater(t, len(parts), 2, "%v", parts)
	listed := 0
	for _, n := range parts {
		require.LessOrEqual(t, n, 4)
		listed += n
	}
	require.Equal(t, 10, listed)
	f.settles(a, whole)
	all, _, err := a.Live().Inventories(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, []model.Inventory{{App: whole.App, Instance: 1, Namespace: f.fleet, Objects: 10}},
		slices.DeleteFunc(all, func(i model.Inventory) bool { return i.App != whole.App }))

	f.settles(f.applierWith(f.Config, f.small()), whole)
	f.settles(f.applier(), whole) // what fits into one part by now stays where it is
	require.Equal(t, parts, f.parts("shop"))

	r := f.apply(a, f.set("shop", many(10, "1")[1:]...))
	require.Equal(t, 1, count(r, apply.Pruned))
	f.settles(a, f.set("shop", many(10, "1")[1:]...))
	require.Equal(t, len(parts), len(f.parts("shop")))

	f.apply(a, f.set("shop", many(parts[""], "1")...))
	require.Equal(t, map[string]int{"": parts[""]}, f.parts("shop"), "parts that list nothing are gone")
	f.apply(a, f.set("shop", many(7, "1")...), f.set("other", configMap("other", "1")))
	f.apply(a, f.set("shop"))
	require.Empty(t, f.parts("shop"))
	require.Len(t, f.parts("other"), 1)
	require.False(t, f.exists(configMaps, "c00000"))
}

// TestCrashBetweenParts kills an update between any two of its writes, where the inventory has
// several parts: nothing is lost track of.
func TestCrashBetweenParts(t *testing.T) {
	f := setup(t)
	f.apply(f.applier(), f.tenant())
	for survive, done := int64(0), false; !done; survive++ {
		require.Less(t, survive, int64(60), "the update never ends")
		app := fmt.Sprintf("app%d", survive)
		named := func(from, to int, value string) (list []string) {
			for i := from; i < to; i++ {
				list = append(list, configMap(fmt.Sprintf("%s-c%02d", app, i), value))
			}
			return list
		}
		f.apply(f.applierWith(f.Config, f.small()), f.set(app, named(0, 7, "1")...))
		after := f.set(app, named(3, 12, "2")...)

		done = f.applyDying(survive, func(cfg *rest.Config) *apply.Applier { return f.applierWith(cfg, f.small()) }, after)

		f.apply(f.applierWith(f.Config, f.small()), after)
		for i := range 12 {
			require.Equal(t, i >= 3, f.exists(configMaps, fmt.Sprintf("%s-c%02d", app, i)), "%d after %d writes", i, survive)
		}
		f.settles(f.applierWith(f.Config, f.small()), after)
		f.apply(f.applierWith(f.Config, f.small()), f.set(app))
		require.Empty(t, f.parts(app), survive)
		require.False(t, f.exists(configMaps, app+"-c05"), survive)
	}
}

// TestTwentyThousandObjects of one application: more than the inventory in one object could list.
func TestTwentyThousandObjects(t *testing.T) {
	n := tier.Count(0, 0, 20_000)
	if n == 0 {
		t.Skip("without -soak: applies 20,000 objects; TestInventoryInParts applies a few")
	}
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant())
	set := f.set("huge", many(n, "1")...)
	began := time.Now()
	step := func(what string) {
		t.Logf("%s: %s", what, time.Since(began).Round(time.Millisecond))
		began = time.Now()
	}
	f.apply(a, set)
	step("first apply")
	r := f.apply(a, set)
	require.Zero(t, r.Requests)
	step("unchanged")
	set.Objects[n/2] = f.object("huge", configMap(fmt.Sprintf("c%05d", n/2), "2"))
	r = f.apply(a, set)
	require.Equal(t, 1, count(r, apply.Configured))
	step("one changed")
	require.Greater(t, len(f.parts("huge")), 5)
	b := f.applier()
	r = f.apply(b, set)
	require.Equal(t, n, count(r, apply.Unchanged))
	step("after a restart")
	f.apply(b, f.set("huge"))
	step("all pruned")
	require.Empty(t, f.parts("huge"))
}

package reconcile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestSpecsOfAnUnsignedLedger: what runs by a ledger that nobody signs is what its commits
// declare. A spec that somebody wrote into a record is not carried out, while Git has no
// valid one either, and a new release ends that.
func TestSpecsOfAnUnsignedLedger(t *testing.T) {
	g := newGuarded(t)
	g.stop()
	g.trust = nil
	g.repo.platform("")
	good := g.repo.Commit("nobody has to sign")
	g.start()
	g.pass(t)
	g.pass(t)
	require.Contains(t, g.images, "web:1\"")
	restart := func() Report {
		g.stop()
		g.images = ""
		g.start()
		r, err := g.loop.Pass(t.Context())
		require.NoError(t, err)
		return r
	}

	t.Log("the last good spec of a broken commit")
	g.repo.Write("tenants/acme/apps/shop/app.cue", "package fleet\n\napplication: nothing: \"of this\"\n")
	broken := g.repo.Commit("broken")
	g.pass(t)
	require.NotContains(t, codes(restart()), model.CodeSpecDoubted)
	require.Contains(t, g.images, "web:1\"", "goes on, and its drift is corrected")

	t.Log("another one in its place, of a commit that is not valid")
	g.forge("tenants/acme/shop/spec.json", "web:1", "web:666")
	g.forge("tenants/acme/shop/spec.json", good, broken)
	require.Contains(t, codes(restart()), model.CodeSpecDoubted)
	require.NotContains(t, g.images, "web:")

	t.Log("of the commit that was accepted")
	g.forge("tenants/acme/shop/spec.json", broken, good)
	for range 2 {
		require.Contains(t, codes(restart()), model.CodeSpecDoubted)
		require.NotContains(t, g.images, "web:")
	}
	require.Contains(t, g.ledger.Git("show", "status:errors.json"), "nobody signs the status branch")
	require.Contains(t, g.ledger.Git("show", "status:tenants/acme/shop/instance.json"), string(model.PhaseScheduled), "nothing of it is made, and its deadline decides")

	t.Log("a new release")
	g.repo.app("2")
	g.repo.Commit("mended")
	g.pass(t)
	g.pass(t)
	require.Contains(t, g.images, "web:2\"")
	require.NotContains(t, g.images, "web:666")
	require.NotContains(t, codes(restart()), model.CodeSpecDoubted)

	t.Log("a valid commit")
	g.forge("tenants/acme/shop/spec.json", "web:2", "web:666")
	restart()
	g.pass(t)
	require.NotContains(t, g.images, "web:666")
	require.Contains(t, g.ledger.Git("show", "status:tenants/acme/shop/spec.json"), "web:2\"")
}

// codes lists the codes of the problems in a report.
func codes(r Report) (list []string) {
	for i := range r.Problems {
		list = append(list, r.Problems[i].Code)
	}
	return list
}

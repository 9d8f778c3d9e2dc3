package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/fleettest"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestDeclaredKeysMark: in a clone, platform.access.ledger of the fleet's own branch says by
// which keys the status branch is checked. What somebody writes to the status branch, keys
// among it, changes nothing, also while that branch is checked out.
func TestDeclaredKeysMark(t *testing.T) {
	remote, sign := signedBranch(t)
	trust, err := os.ReadFile(sign.trust)
	require.NoError(t, err)
	fleetOf := func(key string) string {
		return fleettest.Root(fleettest.Declared, `access: ledger: ["`+key+`"]`)
	}
	fleet := gittest.New(t)
	fleet.Write("fleet.cue", fleetOf(strings.Split(string(trust), "\n")[1]))
	fleet.Commit("a fleet")
	fleet.Git("remote", "add", "origin", remote.Dir)
	fleet.Git("push", "-q", "origin", "HEAD:main")
	fleet.Git("fetch", "-q", "origin")
	app := fixture(worldBegins)[1].Instances[0].App.String()
	asked := [][]string{{"status"}, {"history", app, "-a"}, {"explain", app}}
	for _, args := range asked {
		require.NotContains(t, answerOf(t, append(args, "--repo", fleet.Dir)...), "unverified", args)
	}

	// Somebody with the token of the status branch signs, and names the own key there.
	key, public := fleet.Key("mallory")
	fleet.Git("checkout", "-q", "-B", "status", "origin/status")
	fleet.Write("fleet.cue", fleetOf(public))
	file := filepath.Join(fleet.Dir, "tenants/"+app+"/instance.json")
	record, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(record, '\n'), 0o600))
	commit := fleet.CommitSigned(key, "forged\n\nLedger: "+strings.Repeat("ab", 16)+"/status\nSequence: 3")
	fleet.Git("push", "-q", "origin", "HEAD:status")
	for _, args := range asked {
		require.Contains(t, answerOf(t, append(args, "--repo", fleet.Dir)...), "unverified: ", args)
	}
	require.Contains(t, answerOf(t, "explain", app, "--repo", fleet.Dir, "-o", "json"), `"unverified": "commit `+commit)

	// Keys of a fleet that cannot be evaluated are not taken for none.
	fleet.Git("checkout", "-q", "-B", "main", "origin/main")
	fleet.Write("fleet.cue", strings.Replace(fleetOf(public), "maxReplicas: 20", "maxReplicas: 0", 1))
	fleet.Commit("a broken fleet")
	fleet.Git("push", "-q", "origin", "HEAD:main")
	var out, errOut output
	require.Zero(t, run(t.Context(), []string{"status", "--repo", fleet.Dir}, &out, &errOut), "%s", &errOut)
	require.Contains(t, errOut.String(), "note: nothing is verified: read platform.access.ledger: ")
}

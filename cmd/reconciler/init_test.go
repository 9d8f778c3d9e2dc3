package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// On a terminal only what no flag says is asked, and again until it is a name.
func TestInitAsks(t *testing.T) {
	names := fleetNames{Tenant: "acme"}
	var said strings.Builder
	require.NoError(t, names.complete("My Fleet", strings.NewReader("\nBad Name\n shop \n"), &said))
	require.Equal(t, fleetNames{"fleet", "acme", "shop"}, names)
	require.Equal(t, "Name of the fleet [fleet]: Its first application [hello]: "+nameRule+"\nIts first application [hello]: ", said.String())

	require.NoError(t, (&fleetNames{}).complete("x", nil, nil))
	require.ErrorContains(t, (&fleetNames{}).complete("x", strings.NewReader(""), &said), "--yes")
	for _, bad := range []string{"../up", "a\"b", "A", "-a", "a-", strings.Repeat("a", 64)} {
		require.ErrorContains(t, (&fleetNames{App: bad}).complete("x", nil, nil), "--application")
	}
}

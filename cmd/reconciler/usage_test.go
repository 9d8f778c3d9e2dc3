package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command line that cannot be run ends with what to type.
func TestUsageIsSaid(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"explain"}, "reconciler: accepts 1 arg(s), received 0; usage: reconciler explain TENANT/APPLICATION [flags] (\"reconciler explain --help\" tells more)\n"},
		{[]string{"new", "pool"}, "reconciler: unknown command \"pool\" for \"reconciler new\"; usage: reconciler new [flags] (\"reconciler new --help\" tells more)\n"},
		{[]string{"statsu"}, "reconciler: unknown command \"statsu\" for \"reconciler\"\n\nDid you mean this?\n\tstatus\n\"reconciler --help\" lists the commands\n"},
		{[]string{"--loud"}, "reconciler: unknown flag: --loud\n\"reconciler --help\" lists the commands\n"},
	} {
		var out bytes.Buffer
		require.Equal(t, exitError, run(t.Context(), c.args, io.Discard, &out), "%v", c.args)
		require.Equal(t, c.want, out.String())
	}
}

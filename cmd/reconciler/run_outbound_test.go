package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// What is wrong with the flags is said by their names, before anything begins.
func TestOutboundFlags(t *testing.T) {
	dir := t.TempDir()
	short, good := filepath.Join(dir, "short"), filepath.Join(dir, "good")
	require.NoError(t, os.WriteFile(short, []byte("secret7"), 0o600))
	require.NoError(t, os.WriteFile(good, []byte("0123456789abcdef\n"), 0o600))
	for _, c := range []struct {
		args      []string
		quiet     bool
		listeners int
		err       string
	}{
		{args: nil},
		{args: []string{"--notify-url", "https://hooks.example.com", "--notify-key", good, "--commit-status-url", "https://git.example.com/api/v1/repos/acme/fleet"}, listeners: 2},
		{args: []string{"--notify-url", "https://hooks.example.com"}, quiet: true},
		{args: []string{"--notify-url", "hooks.example.com"}, err: "--notify-url: "},
		{args: []string{"--notify-url", "https://hooks.example.com", "--notify-key", short}, err: "is shorter than 16 bytes"},
		{args: []string{"--notify-url", "https://hooks.example.com", "--notify-key", filepath.Join(dir, "none")}, err: "--notify-key: "},
		{args: []string{"--commit-status-url", "git.example.com"}, err: "--commit-status-url: "},
	} {
		var f outboundFlags
		fl := pflag.NewFlagSet("run", pflag.ContinueOnError)
		f.add(fl)
		require.NoError(t, fl.Parse(c.args))
		v, err := f.open(c.quiet, slog.New(slog.DiscardHandler))
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			require.NotContains(t, err.Error(), "secret7")
			continue
		}
		require.NoError(t, err)
		require.Len(t, v.listeners, c.listeners)
		require.NoError(t, v.close())
	}
}

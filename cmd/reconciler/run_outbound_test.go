package main

import (
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/outbound"
)

// TestReachOfWorkflows: internal networks are named one by one, and the API servers are out of reach.
func TestReachOfWorkflows(t *testing.T) {
	reach := func(host string, args ...string) (outbound.Reach, error) {
		var f outboundFlags
		fl := pflag.NewFlagSet("run", pflag.ContinueOnError)
		f.add(fl)
		require.NoError(t, fl.Parse(args))
		return f.reach(t.Context(), []namedCluster{{Config: &rest.Config{Host: host}}, {name: "west", Config: &rest.Config{Host: "https://10.97.0.1:6443"}}})
	}
	r, err := reach("https://10.96.0.1", "--egress-cidr", "10.0.0.0/8,fd00::/8", "--egress-cidr", "192.168.5.0/24")
	require.NoError(t, err)
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("192.168.5.0/24")}, r.Internal)
	require.Equal(t, []netip.AddrPort{netip.MustParseAddrPort("10.96.0.1:443"), netip.MustParseAddrPort("10.97.0.1:6443")}, r.Never)
	r, err = reach("127.0.0.1:6443")
	require.NoError(t, err)
	require.Equal(t, netip.MustParseAddrPort("127.0.0.1:6443"), r.Never[0])
	_, err = reach("https://10.96.0.1", "--egress-cidr", "10.0.0.1")
	require.EqualError(t, err, `--egress-cidr "10.0.0.1" is not a network; write it as in 10.0.0.0/8`)
}

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
		v, err := f.open(outbound.Reach{}, c.quiet, slog.New(slog.DiscardHandler))
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

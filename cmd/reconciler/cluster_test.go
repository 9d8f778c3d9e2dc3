package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kubeconfig writes a kubeconfig whose contexts lead to clusters of their names.
func kubeconfig(t *testing.T, path, current string, contexts ...string) {
	t.Helper()
	content := "apiVersion: v1\nkind: Config\ncurrent-context: " + current + "\nusers: [{name: me, user: {token: t}}]\n"
	clusters, list := "clusters:\n", "contexts:\n"
	for _, c := range contexts {
		clusters += fmt.Sprintf("- {name: %s, cluster: {server: \"https://%s.example.com\"}}\n", c, c)
		list += fmt.Sprintf("- {name: %s, context: {cluster: %s, user: me}}\n", c, c)
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content+clusters+list), 0o600))
}

// TestWhichCluster: the cluster is one that somebody named, and what cannot be read is named, too.
func TestWhichCluster(t *testing.T) {
	home := t.TempDir()
	own, team, more, bare := filepath.Join(home, ".kube", "config"), filepath.Join(home, "team"), filepath.Join(home, "more"), filepath.Join(home, "bare")
	kubeconfig(t, own, "production", "production", "lab")
	kubeconfig(t, team, "staging", "staging", "tests")
	kubeconfig(t, more, `""`, "spare")
	kubeconfig(t, bare, `""`)
	gone := filepath.Join(home, "gone")
	t.Setenv("HOME", home)
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for _, c := range []struct {
		env   string
		flags clusterFlags
		want  string // the server, or a part of the error
	}{
		{"", clusterFlags{}, "no cluster is named: give --kubeconfig FILE, $KUBECONFIG, or --context NAME"},
		{"", clusterFlags{context: "lab"}, "https://lab.example.com"},
		{"", clusterFlags{context: "labs"}, "your own kubeconfig has no context labs: name another one with --context; it has lab, production"},
		{"", clusterFlags{kubeconfig: team}, "https://staging.example.com"},
		{"", clusterFlags{kubeconfig: team, context: "tests"}, "https://tests.example.com"},
		{"", clusterFlags{kubeconfig: team, context: "lab"}, "the kubeconfig of --kubeconfig has no context lab: name another one"},
		{"", clusterFlags{kubeconfig: more}, "has no current context: name one with --context; it has spare"},
		{"", clusterFlags{kubeconfig: bare}, "it has none"},
		{"", clusterFlags{kubeconfig: gone}, "read the kubeconfig of --kubeconfig: stat " + gone},
		{team, clusterFlags{}, "https://staging.example.com"},
		{team, clusterFlags{kubeconfig: more, context: "spare"}, "https://spare.example.com"},
		{more + ":" + team, clusterFlags{}, "https://staging.example.com"},
		{more + ":" + team, clusterFlags{context: "spare"}, "https://spare.example.com"},
		{gone, clusterFlags{}, "read the kubeconfig of $KUBECONFIG: stat " + gone},
		{gone + ":" + team, clusterFlags{}, "read the kubeconfig of $KUBECONFIG: stat " + gone},
	} {
		t.Setenv("KUBECONFIG", c.env)
		cfg, err := c.flags.config()
		if cfg != nil {
			require.NoError(t, err)
			require.Equal(t, c.want, cfg.Host, "%+v", c)
			continue
		}
		require.ErrorContains(t, err, c.want, "%+v", c)
	}
}

// TestFurtherClusters: each has a name, and a kubeconfig or a context of the first one's.
func TestFurtherClusters(t *testing.T) {
	home := t.TempDir()
	team, more := filepath.Join(home, "team"), filepath.Join(home, "more")
	kubeconfig(t, team, "staging", "staging", "tests")
	kubeconfig(t, more, `""`, "spare")
	t.Setenv("HOME", home)
	t.Setenv("KUBECONFIG", "")
	for _, c := range []struct {
		others []string
		want   string // names and servers, or a part of the error
	}{
		{nil, ""},
		{[]string{"west=" + more + "#spare", "south-2=#tests"}, "west https://spare.example.com, south-2 https://tests.example.com"},
		{[]string{"west=" + team}, "west https://staging.example.com"},
		{[]string{"west=" + team, "west=" + more}, "--cluster names west twice"},
		{[]string{"west=#lab"}, "the kubeconfig of cluster west has no context lab: name another one with --cluster west=FILE#CONTEXT; it has staging, tests"},
		{[]string{"west=" + more}, "the kubeconfig of cluster west has no current context: name one with --cluster west=FILE#CONTEXT; it has spare"},
		{[]string{"West=" + team}, `--cluster "West=`},
		{[]string{team}, "write NAME=FILE, NAME=FILE#CONTEXT or NAME=#CONTEXT"},
		{[]string{"west="}, `--cluster "west="`},
	} {
		list, err := (&clusterFlags{kubeconfig: team, others: c.others}).named()
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		var said []string
		for _, n := range list {
			said = append(said, n.name+" "+n.Host)
		}
		require.Equal(t, c.want, strings.Join(said, ", "))
	}
}

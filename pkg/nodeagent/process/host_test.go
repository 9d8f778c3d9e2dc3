//go:build linux

package process

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// TestExampleHost reads the example, and says what a file lacks.
func TestExampleHost(t *testing.T) {
	data, err := os.ReadFile("../../../examples/node-plain/processes.yaml")
	require.NoError(t, err)
	h, err := ParseHost(data)
	require.NoError(t, err)
	require.Equal(t, "hosts", h.Pool)
	require.Equal(t, model.Resources{CPU: 4000, Memory: 8 << 30}, h.Capacity)
	for file, want := range map[string]string{
		"":                    "EOF",
		"kind: ProcessHost\n": "this agent reads d-aros.dev/v1alpha1 ProcessHost",
		"apiVersion: d-aros.dev/v1alpha1\nkind: ProcessHost\nname: a/b\npool: hosts\ndirectory: /srv\n":                  `name "a/b"`,
		"apiVersion: d-aros.dev/v1alpha1\nkind: ProcessHost\nname: a\ndirectory: /srv\n":                                 `pool ""`,
		"apiVersion: d-aros.dev/v1alpha1\nkind: ProcessHost\nname: a\npool: hosts\n":                                     `directory ""`,
		"apiVersion: d-aros.dev/v1alpha1\nkind: ProcessHost\nname: a\npool: hosts\ndirectory: /srv\nprograms: [/a/../b]": `programs "/a/../b"`,
		"apiVersion: d-aros.dev/v1alpha1\nkind: ProcessHost\nprogram: /bin\n":                                            "field program not found",
	} {
		_, err := ParseHost([]byte(file))
		require.ErrorContains(t, err, want, "%q", file)
	}
}

// TestNothingBeyondTheHost: what a plan asks for and the file of the host does not allow is not
// started, however it is written.
func TestNothingBeyondTheHost(t *testing.T) {
	h := Host{Programs: []string{"/opt/acme", "/bin/sh"}, Directories: []string{"/srv/acme"}, Users: map[string][]string{"acme": {"nobody"}, "other": {"root"}}}
	for _, c := range []struct{ tenant, program, directory, user, want string }{
		{"acme", "/bin/sh", "", "", ""},
		{"acme", "/opt/acme/shop", "/srv/acme/shop", "nobody", ""},
		{"acme", "/bin/shred", "", "", "program /bin/shred"},
		{"acme", "/opt/acme-of-others/x", "", "", "program"},
		{"acme", "/opt/acme/../../bin/id", "", "", "program"},
		{"acme", "/opt/acme//shop", "", "", "program"},
		{"acme", "opt/acme/shop", "", "", "program"},
		{"acme", "shop", "", "", "program"},
		{"acme", "", "", "", "program"},
		{"acme", "/bin/sh", "/srv", "", "directory /srv"},
		{"acme", "/bin/sh", "/srv/acme/..", "", "directory"},
		{"acme", "/bin/sh", "/srv/acme2", "", "directory"},
		{"acme", "/bin/sh", "", "root", "user root is none of those of tenant acme"},
		{"acme", "/bin/sh", "", "0", "user 0"},
		{"globex", "/bin/sh", "", "nobody", "tenant globex has no user"},
	} {
		w := hostplan.Workload{Key: hostplan.Key{App: model.AppID{Tenant: c.tenant, Name: "a"}, Component: "b"}}
		w.Program = hostplan.Program{Command: []string{c.program}, Directory: c.directory, User: c.user}
		as, err := h.allow(&w)
		if c.want == "" {
			require.NoError(t, err, "%+v", c)
			require.Equal(t, "nobody", as.Name)
			continue
		}
		require.ErrorContains(t, err, c.want, "%+v", c)
	}
}

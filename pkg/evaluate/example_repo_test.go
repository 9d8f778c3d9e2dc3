package evaluate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cmd/cue/cmd"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

const (
	exampleRepo = "../../examples/repo"
	vendored    = exampleRepo + "/cue.mod/pkg/" + schema.ImportPath
)

// The schema in examples/repo is the one that is compiled in: what people check
// on their laptops is what the reconciler checks.
func TestVendoredSchemaIsTheSchema(t *testing.T) {
	want := map[string]string{}
	for _, f := range schema.Files() {
		want[f.Name] = string(f.Data)
	}
	if *update {
		require.NoError(t, os.RemoveAll(vendored))
		require.NoError(t, os.MkdirAll(vendored, 0o755))
		for name, data := range want {
			require.NoError(t, os.WriteFile(filepath.Join(vendored, name), []byte(data), 0o644))
		}
	}
	have := map[string]string{}
	entries, err := os.ReadDir(vendored)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(vendored, e.Name()))
		require.NoError(t, err)
		have[e.Name()] = string(data)
	}
	require.Equal(t, want, have, "go generate ./schema")
}

// runCue runs the real cue command in a directory, without a registry.
func runCue(t *testing.T, dir string, args ...string) error {
	t.Setenv("CUE_REGISTRY", "none")
	t.Setenv("CUE_CACHE_DIR", t.TempDir())
	t.Chdir(dir)
	c, err := cmd.New(args)
	require.NoError(t, err)
	var out strings.Builder
	c.SetOut(&out)
	c.SetErr(&out)
	err = c.Run(t.Context())
	if err != nil {
		return fmt.Errorf("%w: %s", err, out.String())
	}
	return nil
}

func TestExampleRepoPassesCueVet(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(exampleRepo)))
	require.NoError(t, runCue(t, dir, "vet", "-c", "./..."))
}

func TestExampleRepoBreaksCueVetWhenWrong(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(exampleRepo)))
	wrong := "package fleet\n\napplication: components: web: replicas: 25\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tenants/acme/apps/shop/wrong.cue"), []byte(wrong), 0o644))
	require.ErrorContains(t, runCue(t, dir, "vet", "-c", "./tenants/acme/apps/shop"), "conflicting values 25 and 4")
}

// The example is what its README says. Evaluating it reads nothing that the
// files do not say.
func TestExampleRepo(t *testing.T) {
	f := New().Fleet("0123456789abcdef0123456789abcdef01234567", directory(exampleRepo), nil)
	require.Empty(t, report(f))
	require.Empty(t, f.Unusable)
	golden(t, "testdata/example-repo.golden", summary(f))
}

func golden(t *testing.T, name, got string) {
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// summary writes a fleet for people.
func summary(f model.Fleet) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
	}
	if p := f.Platform; p != nil {
		line("platform %s", p.Name)
		for _, pool := range p.Pools {
			line("  pool %s: %v, %v, nodes %v, domains %s, price %d/%d", pool.Name, pool.OS, pool.Runtimes, pool.Selector, pool.TopologyKey, pool.Price.CPU, pool.Price.Memory)
		}
		for _, band := range p.Bands {
			line("  band %s from %d", band.Name, band.Min)
		}
		for _, v := range p.InForce {
			line("  %s: %s (%s %s)", v.Path, v.Value, v.Layer, v.At)
		}
	}
	for _, t := range f.Tenants {
		line("\ntenant %s: weight %d, guarantee %v, quota %v, %d applications, %d workloads, priorities up to %d",
			t.Name, t.Weight, t.Guarantee, t.Quota, t.MaxApplications, t.MaxWorkloads, t.PriorityCeiling)
		for _, v := range t.InForce {
			if v.Layer == "tenant" {
				line("  %s: %s (%s)", v.Path, v.Value, v.At)
			}
		}
		for _, a := range f.Applications {
			if a.ID.Tenant == t.Name {
				summarize(line, a)
			}
		}
	}
	for _, u := range f.Unusable {
		line("\nunusable %s: %s %s", u.App, u.Code, u.Message)
	}
	return b.String()
}

func summarize(line func(string, ...any), a *model.Application) {
	line("\n  %s: priority %d (%s), %s, labels %v, class %s, budget %d, start within %v, on failed update %s",
		a.ID, a.Priority, a.At["priority"], a.Desired, a.Labels, a.Objectives.Class, a.Budget, a.Policy.StartDeadline, a.Policy.OnUpdateFailure)
	for _, c := range a.Components {
		line("    %s: %s, %d × %v, least %d, critical %v, qos %s, pool %q, after %v", c.Name, c.Type, c.Replicas, c.Requests, c.MinReplicas(), c.Critical, c.QoS, c.Placement.Pool, c.DependsOn)
		if c.Source != "" {
			line("      has files of its own")
		}
	}
}

// A file that only looks like one of the fleet changes nothing.
func TestNothingButTheFleetIsRead(t *testing.T) {
	var names []string
	require.NoError(t, fs.WalkDir(os.DirFS(exampleRepo), ".", func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	}))
	require.Contains(t, names, "README.md")
	base, more := archive(t, "base.txtar"), archive(t, "beside.txtar")
	want := New().Fleet("", unpack(base), nil)
	got := New().Fleet("", unpack(base, more), nil)
	require.Empty(t, report(got))
	require.Equal(t, want.Applications[0].Digest, got.Applications[0].Digest)
	require.Len(t, got.Applications, len(want.Applications))
	require.Len(t, got.Tenants, len(want.Tenants))
}

package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// gitLike is a tree on disk whose digests are known, as Git knows them.
type gitLike struct {
	tree
	versions map[string]int // of the application directories that changed
}

func (g gitLike) Digest(name string) (string, error) {
	if name == "." {
		return fmt.Sprint(g.versions), nil
	}
	return fmt.Sprint(name, g.versions[name]), nil
}

// grow writes a fleet of n shops in 10 tenants, each like that of examples/repo.
func grow(tb testing.TB, n int) gitLike {
	dir := tb.TempDir()
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(exampleRepo, name))
		require.NoError(tb, err)
		return string(data)
	}
	write := func(name, data string) {
		name = filepath.Join(dir, name)
		require.NoError(tb, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(tb, os.WriteFile(name, []byte(data), 0o644))
	}
	write("fleet.cue", read("fleet.cue"))
	write("pools.cue", read("pools.cue"))
	tenant, shop := read("tenants/acme/tenant.cue"), read("tenants/acme/apps/shop/app.cue")
	for i := range min(n, 10) {
		name := fmt.Sprintf("t%d", i)
		write("tenants/"+name+"/tenant.cue", strings.Replace(tenant, `"acme"`, `"`+name+`"`, 1))
	}
	for i := range n {
		name := fmt.Sprintf("shop-%d", i)
		app := strings.NewReplacer(`"shop"`, `"`+name+`"`, "shop.example.com", name+".example.com").Replace(shop)
		write(fmt.Sprintf("tenants/t%d/apps/%s/app.cue", i%10, name), app)
	}
	return gitLike{directory(dir), map[string]int{}}
}

// cpu is the time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func measure(b *testing.B, per int, do func()) {
	before := cpu()
	for b.Loop() {
		do()
	}
	b.ReportMetric(float64(cpu()-before)/float64(time.Millisecond)/float64(b.N*per), "cpu-ms/app")
}

func BenchmarkCold(b *testing.B) {
	const n = 30
	files := grow(b, n)
	measure(b, n, func() {
		require.Len(b, New().Fleet("", files, nil).Applications, n)
	})
}

func BenchmarkFleet(b *testing.B) {
	files := grow(b, 1000)
	e := New()
	e.Fleet("", files, nil)
	b.Run("unchanged", func(b *testing.B) {
		measure(b, 1, func() { e.Fleet("", files, nil) })
	})
	b.Run("one-changed", func(b *testing.B) {
		var f model.Fleet
		measure(b, 1, func() {
			files.versions["tenants/t7/apps/shop-7"]++
			f = e.Fleet("", files, nil)
		})
		require.Len(b, f.Applications, 1000)
	})
}

// BenchmarkApplication evaluates the shop of examples/repo, six components, as an
// instance and the short way.
func BenchmarkApplication(b *testing.B) {
	in := shopRequest(b)
	for name, form := range map[string]layer.Form{"instance": {}, "plain": layer.NewForm().Under(in.Policy)} {
		b.Run(name, func(b *testing.B) {
			measure(b, 1, func() {
				require.Empty(b, evaluateApplication(in, form).Problems)
			})
		})
	}
}

// BenchmarkDefinition evaluates an application of five components of types that a platform and a tenant define,
// when its files change.
func BenchmarkDefinition(b *testing.B) {
	const app = "tenants/acme/apps/shop/app.cue"
	files := unpack(archive(b, "definitions.txtar"))
	all := files.FS.(fstest.MapFS)
	text, e, n := string(all[app].Data), New(), 0
	require.Empty(b, e.Fleet("", files, nil).Problems)
	measure(b, 1, func() {
		n++
		all[app] = &fstest.MapFile{Data: []byte(strings.Replace(text, "www.", fmt.Sprintf("www%d.", n), 1))}
		require.Empty(b, e.Fleet("", files, nil).Problems)
	})
}

func shopRequest(tb testing.TB) request {
	files := directory(exampleRepo)
	load := func(names ...string) []layer.Source {
		sources, problems, err := layer.Read(files, names)
		require.NoError(tb, err)
		require.Empty(tb, problems)
		return sources
	}
	platform := evaluatePlatform(request{Files: load("allotments.cue", "fleet.cue", "pools.cue")})
	require.Empty(tb, platform.Problems)
	tenant := evaluateTenant(request{Tenant: "acme", Above: platform.Above, Files: load("tenants/acme/tenant.cue")})
	require.Empty(tb, tenant.Problems)
	return request{
		Layer: "application", Tenant: "acme", Name: "shop",
		Files: load("tenants/acme/apps/shop/app.cue"), Policy: tenant.Policy,
	}
}

// rootOf is the root of a fleet with n allotments, each with all that people write.
func rootOf(n int) *result {
	var b strings.Builder
	b.WriteString("package fleet\n\nplatform: allotments: {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tt%d: {weight: 2, guarantee: cpu: \"10m\", quota: {cpu: \"64\", memory: \"256Gi\", applications: 20}, priorityCeiling: 500, hosts: [\"*.t%d.example.com\"], namespaces: [\"t%d\"], work: cpu: \"20s\"}\n", i, i, i)
	}
	b.WriteString("}\n")
	root := []layer.Source{{Name: "allotments.cue", Data: []byte(b.String())}}
	for _, name := range []string{"fleet.cue", "pools.cue"} {
		data, err := os.ReadFile(filepath.Join(exampleRepo, name))
		if err != nil {
			panic(err)
		}
		root = append(root, layer.Source{Name: name, Data: data})
	}
	r := evaluatePlatform(request{Layer: "platform", Files: root})
	return &r
}

// BenchmarkAllotments measures the evaluation of the root of a repo.
func BenchmarkAllotments(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			began := cpu()
			for b.Loop() {
				require.Empty(b, rootOf(n).Problems)
			}
			b.ReportMetric(float64((cpu()-began).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

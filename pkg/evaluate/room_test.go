package evaluate

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/inprocess"
	"github.com/d-aros/d-aros/test/tier"
)

// listing counts what is read of applications' directories.
type listing struct {
	tree
	read map[string]int
}

func (l listing) note(name string) {
	if parts := strings.Split(name, "/"); len(parts) > 3 {
		l.read[parts[3]]++
	}
}

func (l listing) Open(name string) (fs.File, error) {
	l.note(name)
	return l.tree.Open(name)
}

func (l listing) ReadDir(name string) ([]fs.DirEntry, error) {
	l.note(name)
	return fs.ReadDir(l.tree.FS, name)
}

func (l listing) Digest(name string) (string, error) {
	l.note(name)
	return l.tree.Digest(name)
}

// evaluated lists the evaluations of applications.
type evaluated struct {
	inprocess.Backend
	names []string
}

func (c *evaluated) Evaluate(tenant, key string, request []byte) ([]byte, error) {
	answer, err := c.Backend.Evaluate(tenant, key, request)
	if r, bad := decodeAnswer(answer); bad == nil && r.Application != nil {
		c.names = append(c.names, r.Application.ID.String())
	}
	return answer, err
}

// crowd is the base fleet with as many more applications of acme, of which it may have four.
func crowd(t *testing.T, more int) tree {
	files := unpack(archive(t, "base.txtar"))
	all := files.FS.(fstest.MapFS)
	put := func(name, text string) { all[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644} }
	put("more.cue", "package fleet\n\nplatform: allotments: acme: quota: {cpu: \"64\", memory: \"256Gi\", applications: 4}\n")
	for i := range more {
		name := fmt.Sprintf("a%05d", i)
		put("tenants/acme/apps/"+name+"/app.cue", "package fleet\n\napplication: {name: \""+name+"\", labels: team: \"web\", components: c: {type: \"config\", properties: data: a: \"b\"}}\n")
	}
	return files
}

// What a tenant has beyond its quota costs the listing of one directory: none of it is read or
// evaluated, in any pass. What has a place goes on, then the oldest record, then names.
func TestTooManyApplicationsAreNotEvaluated(t *testing.T) {
	many := tier.Count(1_000, 10_000, 10_000)
	b := &evaluated{Backend: inProcess()}
	e := Through(b)
	record := func(name string, phase model.Phase, declared int64) model.Instance {
		return model.Instance{App: model.AppID{Tenant: "acme", Name: name}, Phase: phase, Declared: time.Unix(declared, 0)}
	}
	e.Follow(&model.Ledger{Instances: []model.Instance{
		record("a00007", model.PhaseRejected, 9), record("a00900", model.PhaseAdmitted, 8), record("shop", model.PhaseRunning, 10),
	}})
	files := listing{crowd(t, many), map[string]int{}}
	f := e.Fleet("c", files, nil)
	want := []string{"acme/a00000", "acme/a00007", "acme/a00900", "acme/shop"}
	require.Equal(t, want, ids(f))
	require.ElementsMatch(t, want, b.names)
	require.Len(t, files.read, 4)
	require.Equal(t, fmt.Sprintf("DA1576 tenants/acme/apps/a00001 is one too many: tenant acme has %d applications and may have 4; not evaluated, and kept as last accepted: ", many+1)+
		fmt.Sprintf("a00001, a00002, a00003, a00004, a00005 and %d more\n", many-8)+
		"  tenants/acme/apps/a00001:1:1\n"+
		"  more.cue:3:79                  platform.allotments.acme.quota.applications: 4\n", report(f))
	require.Len(t, f.Unusable, many-3)
	require.Equal(t, "DA1576", f.Unusable[0].Code)
	require.True(t, e.Settled())

	files.FS.(fstest.MapFS)["tenants/globex/tenant.cue"] = &fstest.MapFile{Data: []byte("package fleet\n\ntenant: name: \"globex\"\n"), Mode: 0o644}
	require.Equal(t, want, ids(e.Fleet("d", files, nil)))
	require.Len(t, b.names, 4, "they are known")

	clear(files.read)
	files.FS.(fstest.MapFS)["tenants/acme/tenant.cue"].Data = []byte("package fleet\n\ntenant: name: 7\n")
	f = e.Fleet("e", files, nil)
	require.Len(t, files.read, 4, "the allotment counts while the tenant is not valid")
	require.Contains(t, report(f), "DA1576")
}

// A tenant may narrow its quota, and what has a place goes on all the same.
func TestWhatHasAPlaceIsNotTooMuch(t *testing.T) {
	files := crowd(t, 3)
	tenant := files.FS.(fstest.MapFS)["tenants/acme/tenant.cue"]
	tenant.Data = []byte(strings.Replace(string(tenant.Data), `priorityCeiling: 800`, `priorityCeiling: 800, applications: 2`, 1))
	e := New()
	ledger := model.Ledger{}
	for _, name := range []string{"a00000", "a00001", "shop"} {
		ledger.Instances = append(ledger.Instances, model.Instance{App: model.AppID{Tenant: "acme", Name: name}, Phase: model.PhaseRunning})
	}
	e.Follow(&ledger)
	f := e.Fleet("c", files, nil)
	require.Equal(t, []string{"acme/a00000", "acme/a00001", "acme/shop"}, ids(f))
	require.Contains(t, report(f), "tenants/acme/tenant.cue:5:74   tenant.quota.applications: 2")
	delete(files.FS.(fstest.MapFS), "tenants/acme/apps/a00002/app.cue")
	require.Empty(t, e.Fleet("d", files, nil).Problems)
}

func ids(f model.Fleet) (names []string) {
	for _, a := range f.Applications {
		names = append(names, a.ID.String())
	}
	return names
}

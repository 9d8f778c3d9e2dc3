package evaluate

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

var update = flag.Bool("update", false, "write golden files anew")

// pinnedCommit is the one commit beside the present that examples know. In it
// there is no application shop.
const pinnedCommit = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func beforeShop(commit string) (Files, error) {
	if commit != pinnedCommit {
		return nil, errors.New("commit " + commit + " is not reachable from main")
	}
	return unpack(txtar.Parse([]byte("-- README --\nempty\n"))), nil
}

func archive(t testing.TB, name string) *txtar.Archive {
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return a
}

// examples are the cases of testdata/problems by name. Each is the base fleet
// with some files changed, and what is wrong with it.
func examples(t testing.TB) map[string]*txtar.Archive {
	files, err := filepath.Glob("testdata/problems/*.txtar")
	require.NoError(t, err)
	out := map[string]*txtar.Archive{}
	for _, f := range files {
		out[strings.TrimSuffix(filepath.Base(f), ".txtar")] = archive(t, filepath.Join("problems", filepath.Base(f)))
	}
	return out
}

// sample returns all cases, or one in eight where make quick compares two ways of evaluation.
func sample(cases map[string]*txtar.Archive) map[string]*txtar.Archive {
	if testing.Short() {
		for i, name := range sortedNames(cases) {
			if i%8 != 0 {
				delete(cases, name)
			}
		}
	}
	return cases
}

// split separates the files of an example from what is wanted of them.
func split(a *txtar.Archive) (files *txtar.Archive, want string) {
	files = &txtar.Archive{}
	for _, f := range a.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		files.Files = append(files.Files, f)
	}
	return files, want
}

func report(f model.Fleet) string {
	var b strings.Builder
	for _, p := range f.Problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// judged is what is wrong with a fleet and with the approvals beside it.
func judged(t testing.TB, e *Evaluator, files Files, at func(string) (Files, error)) model.Fleet {
	f := e.Fleet("", files, at)
	names, err := fs.Glob(files, "approvals/*/*/*.cue")
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		file := layer.Source{Name: name, Data: data}
		_, problems := decode.Approval(layer.Approval("approval", file))
		if parts := strings.Split(name, "/"); parts[2] == model.RemovalsDir {
			_, problems = decode.Removal(layer.Approval("removal", file), parts[1])
		}
		f.Problems = append(f.Problems, problems...)
	}
	return f
}

// Every rule refuses what it is there to refuse, says so in its sentence, and
// names the places of both sides. A rule of the schema may compile and hold
// nothing: this is the test that it holds.
func TestProblems(t *testing.T) {
	base := archive(t, "base.txtar")
	require.Empty(t, New().Fleet("", unpack(base), nil).Problems, "the base fleet is without problems")
	for name, a := range examples(t) {
		t.Run(name, func(t *testing.T) {
			files, want := split(a)
			f := judged(t, Through(examined), unpack(base, files), beforeShop)
			got := report(f)
			if *update {
				write(t, name, files, got)
				want = got
			}
			require.Equal(t, want, got)
			code, _, _ := strings.Cut(name, "-")
			require.NotEmpty(t, f.Problems)
			for _, p := range f.Problems {
				require.Equal(t, code, p.Code, "no other problem than the one shown")
				require.NotEmpty(t, p.Places)
			}
		})
	}
}

func write(t *testing.T, name string, files *txtar.Archive, want string) {
	files.Files = append(files.Files, txtar.File{Name: "want", Data: []byte(want)})
	require.NoError(t, os.WriteFile(filepath.Join("testdata/problems", name+".txtar"), txtar.Format(files), 0o644))
}

// An unknown field of an element of a list has a suggestion as well.
func TestDidYouMeanInLists(t *testing.T) {
	f := New().Fleet("c", unpack(archive(t, "base.txtar"), overlay("tenants/acme/apps/shop/more.cue",
		"package fleet\n\napplication: components: web: traits: ingress: [{hots: \"shop.example.com\", port: 8080}]\n")), nil)
	require.Contains(t, report(f), "hots: no such field; did you mean host?\n")
}

// A trait that a type does not have comes with those that it has.
func TestTraitOnTheWrongType(t *testing.T) {
	f := New().Fleet("c", unpack(archive(t, "base.txtar"), overlay("tenants/acme/apps/shop/more.cue",
		"package fleet\n\napplication: components: agent: {type: \"daemon\", properties: image: \"ghcr.io/acme/a:1\", traits: ingress: []}\n")), nil)
	require.Regexp(t, `traits\.ingress: no such field; components of this type can have affinity, envFrom, .*tolerations\n`, report(f))
	require.NotRegexp(t, `can have .*ingress`, report(f))
}

// A value outside of a list of values has a sentence also where no rule gives one.
func TestNoneOfSeveral(t *testing.T) {
	f := New().Fleet("c", unpack(archive(t, "base.txtar"), overlay("more.cue",
		"package fleet\n\nplatform: pools: general: os: [\"plan9\"]\n")), nil)
	require.Equal(t, `DA1104 platform.pools.general.os.0: is none of what may be written here
  more.cue:3:32   "plan9"
`, report(f))
}

// All that is wrong with a layer is said at once: a broken rule hides neither a
// typo nor what is missing, and every place is that in the files as they are.
func TestEverythingWrongIsSaidAtOnce(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"of an application": {"tenants/acme/apps/shop/more.cue", `
application: {
	priority: 801
	budgte: {}
	components: db: {type: "store", replicas: 9, degrade: minReplicas: 2}
	components: api: type: "worker"
	components: api: properties: {image: "ghcr.io/acme/api:1", ports: [{prot: 80}]}
}
`, `DA1201 application.priority: asks for 801, tenant acme allows priorities up to 800 (limits.priorityCeiling)
  tenants/acme/apps/shop/more.cue:4:12   asks for 801
  tenants/acme/tenant.cue:5:55           tenant.quota.priorityCeiling: 800
DA1101 application.budgte: no such field; did you mean budget?
  tenants/acme/apps/shop/more.cue:5:2
DA1103 application.components.db.properties.image: must be written
  tenants/acme/apps/shop/more.cue:6:14   nearest place that is written
DA1203 application.components.db.replicas: asks for 9, tenant acme allows at most 5 replicas (limits.maxReplicas)
  tenants/acme/apps/shop/more.cue:6:44   asks for 9
  tenants/acme/tenant.cue:7:24           tenant.policy.limits.maxReplicas: 5
DA1103 application.components.api.properties.ports.0.port: must be written
  tenants/acme/apps/shop/more.cue:8:69   nearest place that is written
DA1101 application.components.api.properties.ports.0.prot: no such field; did you mean port?
  tenants/acme/apps/shop/more.cue:8:70
`},
		"of what has an unknown type, no more than that": {"tenants/acme/apps/shop/more.cue", `
application: components: db: {type: "stroe", replicas: 3, properties: {image: "ghcr.io/acme/db:1", prots: []}}
application: priority: 801
`, `DA1210 application.components.db.type: asks for "stroe", a component is of type webservice, worker, store, daemon, vm, windows-service, job, cron, config, secret, external-secret, raw, kustomize, helm, external; did you mean store?
  tenants/acme/apps/shop/more.cue:3:37   asks for "stroe"
DA1201 application.priority: asks for 801, tenant acme allows priorities up to 800 (limits.priorityCeiling)
  tenants/acme/apps/shop/more.cue:4:24   asks for 801
  tenants/acme/tenant.cue:5:55           tenant.quota.priorityCeiling: 800
`},
		"of a tenant": {"tenants/acme/more.cue", `
tenant: policy: preemption: "any"
tenant: quotas: cpu: "1"
tenant: reservations: big: pool: "general"
`, `DA1310 tenant.policy.preemption: asks for "any", the platform allows none, within-tenant (preemption)
  tenants/acme/more.cue:3:29   asks for "any"
  fleet.cue:16:15              platform.policy.preemption: "within-tenant"
DA1101 tenant.quotas: no such field; did you mean quota?
  tenants/acme/more.cue:4:9
DA1103 tenant.reservations.big.amount: must be written
  tenants/acme/more.cue:5:23   nearest place that is written
DA1103 tenant.reservations.big.application: must be written
  tenants/acme/more.cue:5:23   nearest place that is written
`},
		"of the platform": {"more.cue", `
platform: policy: strategy: "spread"
platform: policy: limits: grace: "48h"
platform: pools: gpu: {price: cpu: -1, capcity: cpu: "4", nodes: {}}
`, `DA1101 platform.policy.strategy: no such field
  more.cue:3:19
DA1319 platform.policy.limits.grace: asks for "48h", D-AROS allows at most 24h (limits.grace)
  more.cue:4:34   asks for "48h"
DA1407 platform.pools.gpu.price.cpu: asks for -1, a price is a number from 0 to 1000000
  more.cue:5:36   asks for -1
DA1101 platform.pools.gpu.capcity: no such field; did you mean capacity?
  more.cue:5:40
DA1103 platform.pools.gpu.nodes.selector: must be written
  more.cue:5:59   nearest place that is written
`},
	} {
		t.Run(name, func(t *testing.T) {
			f := New().Fleet("c", unpack(archive(t, "base.txtar"), overlay(c.file, "package fleet\n"+c.text)), nil)
			require.Equal(t, c.want, report(f))
		})
	}
}

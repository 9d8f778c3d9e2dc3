package turn_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/test/inprocess"
	"github.com/d-aros/d-aros/test/tier"
)

// TestTenantsDoNotTouchOthers: over random fleets, no edit below tenants/TENANT changes a byte of
// the objects of another tenant, a word of what is wrong with it, or what it is granted within
// its guarantee, although the edit names whatever others have, asks for more than there is,
// and may preempt anybody.
func TestTenantsDoNotTouchOthers(t *testing.T) {
	refused := 0
	check := evaluate.Through(inprocess.By[evaluate.Worker]())
	checks(t, tier.Count(3, 25, 1000), func(t *rapid.T) {
		f := drawFleet(t)
		files := f.files(true)
		ledger := decide(t, check, files, model.Ledger{}, now).outcome.Next
		before := decide(t, check, files, ledger, now.Add(time.Minute))
		by := rapid.SampledFrom(f.names()).Draw(t, "tenant")
		edited := maps.Clone(files)
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			f.edit(t, edited, by)
		}
		after := decide(t, check, edited, ledger, now.Add(time.Minute))
		for _, other := range f.names() {
			if other != by {
				require.Equal(t, before.of(t, other), after.of(t, other), "tenant %s, after an edit of %s", other, by)
			}
		}
		require.Equal(t, before.wrong(""), after.wrong(""), "the platform")
		if len(after.wrong(by)) > len(before.wrong(by)) {
			refused++
		}
	})
	if !testing.Short() {
		require.Positive(t, refused)
	}
}

// TestMigratedFleetsRenderTheSame: a fleet that was written before there were allotments, and
// whose fields `migrate allotments` moved, has the tenants, the objects and the problems of the
// fleet in which people wrote the same allotments by hand.
func TestMigratedFleetsRenderTheSame(t *testing.T) {
	check := evaluate.Through(inprocess.By[evaluate.Worker]())
	checks(t, tier.Count(2, 8, 300), func(t *rapid.T) {
		f := drawFleet(t)
		for i := range f.tenants { // before there were allotments, all were free to name anything
			f.tenants[i].shared = `ingress: annotations: ["example.com/limit"], services: ["NodePort", "LoadBalancer"], isolation: "open", podSecurity: "baseline"`
		}
		old := f.files(false)
		require.Empty(t, decide(t, check, old, model.Ledger{}, now).outcome.Fleet.Tenants, "no allotment, no tenant")
		first, err := layer.MoveAllotments(old, nil, false)
		require.NoError(t, err)
		inUse := decide(t, check, with(old, first.Files), model.Ledger{}, now).checked.InUse()
		moved, err := layer.MoveAllotments(old, inUse, false)
		require.NoError(t, err)
		want, got := decide(t, check, f.files(true), model.Ledger{}, now), decide(t, check, with(old, moved.Files), model.Ledger{}, now)
		for _, tenant := range f.names() {
			require.Equal(t, want.of(t, tenant), got.of(t, tenant))
		}
	})
}

// checks has rapid make so many checks.
func checks(t *testing.T, n int, check func(*rapid.T)) {
	t.Helper()
	if testing.Short() {
		n *= 5 // rapid divides
	}
	was := flag.Lookup("rapid.checks").Value.String()
	require.NoError(t, flag.Set("rapid.checks", strconv.Itoa(n)))
	defer func() { require.NoError(t, flag.Set("rapid.checks", was)) }()
	rapid.Check(t, check)
}

// with are files of which some are others.
func with(files fstest.MapFS, changed []layer.Source) fstest.MapFS {
	all := maps.Clone(files)
	for _, f := range changed {
		all[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return all
}

// decided is what one pass makes of files.
type decided struct {
	checked *turn.Checked
	outcome turn.Outcome
	files   tree
}

func decide(t *rapid.T, e *evaluate.Evaluator, files fstest.MapFS, ledger model.Ledger, at time.Time) *decided {
	t.Helper()
	d := &decided{files: tree{files}}
	fleet, checked := turn.CheckRenderings(e.Fleet("c", d.files, func(string) (evaluate.Files, error) { return nil, errors.New("no such commit") }),
		turn.Renderings{Fleet: "test", Ledger: &ledger, Builds: d.builds})
	d.checked = checked
	room := model.Resources{CPU: 24_000, Memory: 24 << 30}
	d.outcome = turn.Take(turn.Case{Fleet: fleet, Checked: checked, Ledger: ledger, Now: at,
		Seen: model.Observation{Pools: []model.Pool{{Name: "general", Nodes: 3, Capacity: room, Largest: model.Resources{CPU: 8_000, Memory: 8 << 30}}}}})
	return d
}

func (d *decided) builds(a *model.Application) (render.Builds, error) {
	dir, err := fs.Sub(d.files, "tenants/"+a.ID.Tenant+"/apps/"+a.ID.Name)
	if err != nil {
		return nil, err
	}
	return render.Builder{}.Build(a, dir)
}

// wrong lists the problems of a tenant, or of the platform.
func (d *decided) wrong(tenant string) (all []string) {
	for _, p := range d.outcome.Next.Problems {
		if p.Tenant == tenant {
			p.Places = slices.DeleteFunc(slices.Clone(p.Places), func(at model.Place) bool {
				return !strings.HasPrefix(at.At, "tenants/") // an allotment that was moved stands elsewhere
			})
			all = append(all, p.String())
		}
	}
	return all
}

// of is all that concerns a tenant: what is wrong, the verdicts and the bytes of its objects.
func (d *decided) of(t *rapid.T, tenant string) (all []string) {
	t.Helper()
	note := func(v any) {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		all = append(all, string(data))
	}
	note(d.wrong(tenant))
	platform, own := d.outcome.Fleet.Platform, (*model.Tenant)(nil)
	for i := range d.outcome.Fleet.Tenants {
		if d.outcome.Fleet.Tenants[i].Name == tenant {
			own = &d.outcome.Fleet.Tenants[i]
			said := *own
			said.At = nil // an allotment that was moved stands elsewhere
			note(said)
			for _, o := range render.Tenant("test", "", own, d.outcome.Next.WithObjects()[tenant]).Objects {
				all = append(all, string(o.JSON))
			}
		}
	}
	for i := range d.outcome.Next.Instances {
		in := &d.outcome.Next.Instances[i]
		if in.App.Tenant != tenant {
			continue
		}
		note([]any{in.App, in.Number, in.Phase, in.Reason, in.SpecDigest(), in.Components, in.Held})
		if in.Spec == nil || own == nil {
			continue
		}
		built, err := d.builds(in.Spec)
		require.NoError(t, err)
		set, err := render.Application(render.Input{Fleet: "test", Instance: in, Tenant: own, Pools: platform.Pools, Network: platform.Network, Builds: built})
		require.NoError(t, err)
		for _, o := range set.Objects {
			all = append(all, string(o.JSON))
		}
	}
	return all
}

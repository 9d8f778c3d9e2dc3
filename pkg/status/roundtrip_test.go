package status_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

var (
	genName   = rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?`)
	genDigest = rapid.Custom(func(t *rapid.T) model.Digest { return model.DigestOf(rapid.Int().Draw(t, "digest")) })
	genTime   = rapid.Custom(func(t *rapid.T) time.Time {
		at := time.Unix(rapid.Int64Range(1, 4e9).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		if zone := rapid.IntRange(-12, 12).Draw(t, "zone"); zone > 0 {
			return at.In(time.FixedZone("somewhere", zone*3600))
		}
		return at.UTC()
	})
	genGrant = rapid.Custom(func(t *rapid.T) model.Grant {
		return model.Grant{Component: genName.Draw(t, "component"), Replicas: rapid.IntRange(0, 9).Draw(t, "replicas"),
			Surge: rapid.IntRange(0, 9).Draw(t, "surge"), Requests: rapid.Make[model.Resources]().Draw(t, "requests"), QoS: rapid.String().Draw(t, "qos"), Pool: rapid.String().Draw(t, "pool")}
	})
)

// genSound draws any value of a type of the model whose identities name
// something: an empty name is no name of an application.
func genSound[T any](t *rapid.T, label string) T {
	v := rapid.Make[T]().Draw(t, label)
	soundly(reflect.ValueOf(&v).Elem(), func() model.AppID {
		return model.AppID{Tenant: genName.Draw(t, "tenant"), Name: genName.Draw(t, "application")}
	})
	return v
}

// soundly replaces every identity in v.
func soundly(v reflect.Value, id func() model.AppID) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			soundly(v.Elem(), id)
		}
	case reflect.Slice:
		for i := range v.Len() {
			soundly(v.Index(i), id)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[model.AppID]() {
			v.Set(reflect.ValueOf(id()))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				soundly(v.Field(i), id)
			}
		}
	}
}

// genJSON draws a value as evaluation writes it: keys sorted, no white space.
func genJSON(t *rapid.T, depth int) any {
	kinds := []string{"null", "bool", "int", "float", "string"}
	if depth > 0 {
		kinds = append(kinds, "list", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "bool":
		return rapid.Bool().Draw(t, "bool")
	case "int":
		return rapid.Int64().Draw(t, "int")
	case "float":
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "float") + 0 // never -0, which YAML reads as 0
	case "string":
		return rapid.String().Draw(t, "string")
	case "list":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, genJSON(t, depth-1))
		}
		return list
	case "object":
		object := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			object[rapid.String().Draw(t, "key")] = genJSON(t, depth-1)
		}
		return object
	}
	return nil
}

func genSpec(t *rapid.T, id model.AppID) *model.Application {
	a := model.Application{ID: id, Labels: rapid.MapOfN(rapid.String(), rapid.String(), 0, 2).Draw(t, "labels"),
		Priority: rapid.Int().Draw(t, "priority"), Desired: model.Desired(rapid.String().Draw(t, "desired")),
		Objectives: rapid.Make[model.Objectives]().Draw(t, "objectives"), Commit: string(genDigest.Draw(t, "commit"))}
	names := rapid.SliceOfNDistinct(genName, 0, 3, rapid.ID[string]).Draw(t, "components")
	slices.Sort(names)
	for _, name := range names {
		properties, err := json.Marshal(map[string]any{"data": map[string]any{"k": genJSON(t, 0)}, "more": genJSON(t, 3)})
		require.NoError(t, err)
		a.Components = append(a.Components, model.Component{
			Name: name, Type: rapid.SampledFrom([]string{"webservice", "secret"}).Draw(t, "type"), Replicas: rapid.IntRange(0, 9).Draw(t, "replicas"),
			DependsOn: rapid.SliceOfN(genName, 0, 2).Draw(t, "dependsOn"), Requests: rapid.Make[model.Resources]().Draw(t, "requests"),
			Degrade: rapid.Make[*model.Degrade]().Draw(t, "degrade"), Placement: rapid.Make[model.Placement]().Draw(t, "placement"),
			Properties: properties,
		})
	}
	a = a.Seal()
	return &a
}

func genInstance(t *rapid.T, id model.AppID) model.Instance {
	in := model.Instance{App: id, Number: rapid.IntRange(1, 99).Draw(t, "number"),
		Phase: rapid.SampledFrom(model.Phases).Draw(t, "phase"), Reason: model.Reason(rapid.String().Draw(t, "reason")),
		Message: rapid.String().Draw(t, "message"), Since: genTime.Draw(t, "since"),
		Held: rapid.SliceOfN(genDigest, 0, 2).Draw(t, "held"), Refused: genSound[*model.Refusal](t, "refused"),
		PreviousGrants: rapid.SliceOfN(genGrant, 0, 2).Draw(t, "previousGrants")}
	if rapid.Bool().Draw(t, "declared") {
		in.Declared = genTime.Draw(t, "declared")
	}
	if rapid.Bool().Draw(t, "deadline") {
		in.Deadline = genTime.Draw(t, "deadline")
	}
	if rapid.Bool().Draw(t, "spec") {
		in.Spec = genSpec(t, id)
	}
	if rapid.Bool().Draw(t, "previous") {
		in.Previous = genSpec(t, id)
	}
	for range rapid.IntRange(0, 2).Draw(t, "components") {
		in.Components = append(in.Components, model.ComponentState{Grant: genGrant.Draw(t, "grant"), Run: rapid.IntRange(0, 9).Draw(t, "run"),
			Spec: genDigest.Draw(t, "spec"), State: model.State(rapid.String().Draw(t, "state")), Since: genTime.Draw(t, "since"),
			Beside: rapid.Make[*model.Beside]().Draw(t, "beside")})
	}
	if rapid.Bool().Draw(t, "run") {
		in.Run = genRun(t, id)
	}
	for range rapid.IntRange(0, 3).Draw(t, "history") {
		in.History = append(in.History, model.Transition{At: genTime.Draw(t, "at"), Instance: 1, To: in.Phase, Reason: in.Reason,
			Message: rapid.String().Draw(t, "message")})
	}
	return in
}

func genRun(t *rapid.T, id model.AppID) *model.Run {
	r := rapid.Make[model.Run]().Draw(t, "run")
	r.App, r.Number, r.Instance = id, rapid.IntRange(1, 99).Draw(t, "run number"), rapid.IntRange(1, 9).Draw(t, "instance")
	r.Since, r.Deadline = genTime.Draw(t, "since"), genTime.Draw(t, "deadline")
	for i := range r.Steps {
		r.Steps[i].Since, r.Steps[i].Next = genTime.Draw(t, "since"), genTime.Draw(t, "next")
	}
	return &r
}

func genLedger(t *rapid.T) model.Ledger {
	l := model.Ledger{Commit: string(genDigest.Draw(t, "commit"))}
	if rapid.Bool().Draw(t, "platform") {
		platform := genSound[model.Platform](t, "platform")
		l.Platform = &platform
	}
	tenants := rapid.SliceOfNDistinct(genName, 0, 2, rapid.ID[string]).Draw(t, "tenants")
	slices.Sort(tenants)
	for _, tenant := range tenants {
		if rapid.Bool().Draw(t, "layer") {
			layer := genSound[model.Tenant](t, "tenant")
			layer.Name = tenant
			l.Tenants = append(l.Tenants, layer)
		}
		apps := rapid.SliceOfNDistinct(genName, 0, 3, rapid.ID[string]).Draw(t, "apps")
		slices.Sort(apps)
		for _, app := range apps {
			id := model.AppID{Tenant: tenant, Name: app}
			l.Instances = append(l.Instances, genInstance(t, id))
			if rapid.Bool().Draw(t, "decided") {
				d := genSound[model.Decision](t, "decision")
				d.App = id
				standings := rapid.SampledFrom([]model.Standing{"", model.StandingWithinGuarantee, model.StandingWithinFairShare,
					model.StandingWithinSlack, model.StandingBorrowing})
				d.Standing = standings.Draw(t, "standing")
				for k := range d.Ahead {
					d.Ahead[k].Standing = standings.Draw(t, "standing ahead")
				}
				l.Decisions = append(l.Decisions, d)
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "problems") {
		l.Problems = append(l.Problems, rapid.Make[model.Problem]().Draw(t, "problem"))
	}
	for range rapid.IntRange(0, 2).Draw(t, "pools") {
		l.Pools = append(l.Pools, rapid.Make[model.Pool]().Draw(t, "pool"))
	}
	if rapid.Bool().Draw(t, "past use") {
		l.PastUse = &model.PastUse{At: genTime.Draw(t, "at").UTC(), HalfLife: time.Duration(rapid.Int64().Draw(t, "half-life")), Anew: genTime.Draw(t, "anew").UTC(),
			Nodes: rapid.Make[[]model.NodeUse]().Draw(t, "nodes"), Digest: genDigest.Draw(t, "digest")}
	}
	return l
}

// asWritten returns the JSON of what the branch promises to keep.
func asWritten(t require.TestingT, l model.Ledger) string {
	type specs struct {
		Spec, Previous *model.Application
		Run            *model.Run
	}
	redact := func(a *model.Application) *model.Application {
		if a == nil {
			return nil
		}
		r := a.Redact()
		return &r
	}
	l.Instances = slices.Clone(l.Instances)
	var all []specs
	for i := range l.Instances {
		in := &l.Instances[i]
		all = append(all, specs{redact(in.Spec), redact(in.Previous), runInUTC(in.Run)})
		in.Since, in.Declared, in.Deadline = in.Since.UTC(), in.Declared.UTC(), in.Deadline.UTC()
		in.Components, in.History = slices.Clone(in.Components), slices.Clone(in.History)
		for j := range in.Components {
			in.Components[j].Since = in.Components[j].Since.UTC()
		}
		for j := range in.History {
			in.History[j].At = in.History[j].At.UTC()
		}
	}
	b, err := json.MarshalIndent(struct {
		Ledger model.Ledger
		Specs  []specs
	}{l, all}, "", " ")
	require.NoError(t, err)
	return string(b)
}

func runInUTC(r *model.Run) *model.Run {
	if r == nil {
		return nil
	}
	c := *r
	c.Steps = slices.Clone(c.Steps)
	c.Since, c.Deadline = c.Since.UTC(), c.Deadline.UTC()
	for i := range c.Steps {
		c.Steps[i].Since, c.Steps[i].Next = c.Steps[i].Since.UTC(), c.Steps[i].Next.UTC()
	}
	return &c
}

// TestRoundTrip: whatever is saved is what the next process reads.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := genLedger(t)
		files, remembered, err := status.Written(l)
		require.NoError(t, err)
		back, err := status.Read(files)
		require.NoError(t, err)
		require.Equal(t, remembered, back, "what a Commit remembers is what is read")
		require.Equal(t, asWritten(t, l), asWritten(t, back))
	})
}

// TestRoundTripThroughGit: the same through a real repository, from one random
// ledger to the next, and nothing to commit once it is there. Records of one revision
// are deeply equal.
func TestRoundTripThroughGit(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	ledgers := rapid.Custom(genLedger)
	instances, decisions := map[model.Revision]model.Instance{}, map[model.Revision]model.Decision{}
	for seed := range 8 {
		next := ledgers.Example(seed)
		before, err := b.Load(t.Context())
		require.NoError(t, err)
		_, _, err = b.Commit(t.Context(), before, next)
		require.NoError(t, err)
		warm, err := b.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, asWritten(t, next), asWritten(t, warm))

		other := open(t, remote.Dir)
		cold, err := other.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, warm, cold)
		for _, in := range slices.Concat(before.Instances, warm.Instances) {
			known, ok := instances[in.Revision]
			require.NotZero(t, in.Revision)
			require.True(t, !ok || reflect.DeepEqual(known, in), "one revision, two contents: %v, %v", known, in)
			instances[in.Revision] = in
		}
		for _, d := range slices.Concat(before.Decisions, warm.Decisions) {
			known, ok := decisions[d.Revision]
			require.NotZero(t, d.Revision)
			require.True(t, !ok || reflect.DeepEqual(known, d), "one revision, two contents: %v, %v", known, d)
			decisions[d.Revision] = d
		}
		_, changed, err := other.Commit(t.Context(), cold, next)
		require.NoError(t, err)
		require.False(t, changed)
	}
	remote.Git("fsck", "--strict", "--no-dangling")
}

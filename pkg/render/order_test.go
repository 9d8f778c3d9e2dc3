package render

import (
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// goldens returns the inputs of all golden cases that render.
func goldens(t testing.TB) map[string]func() Input {
	inputs := map[string]func() Input{}
	names, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		archive := txtar.Parse(text)
		for _, f := range archive.Files {
			if f.Name == "input.yaml" {
				inputs[filepath.Base(name)] = func() Input { return readScenario(t, f.Data).input(t, files(archive)) }
			}
		}
	}
	require.NotEmpty(t, inputs)
	return inputs
}

// TestOrder: neither the order of components and pools nor that of the fields
// in their properties changes a byte.
func TestOrder(t *testing.T) {
	for name, input := range goldens(t) {
		in := input()
		if len(in.Instance.Spec.Components) < 2 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			first, err := Application(in)
			require.NoError(t, err)
			rapid.Check(t, func(rt *rapid.T) {
				random := rand.New(rand.NewSource(rapid.Int64().Draw(rt, "seed")))
				spec := *in.Instance.Spec
				spec.Components = shuffled(random, spec.Components)
				instance := *in.Instance
				instance.Spec, instance.Components = &spec, shuffled(random, instance.Components)
				other := in
				other.Instance, other.Pools = &instance, shuffled(random, in.Pools)
				again, err := Application(other)
				require.NoError(rt, err)
				require.Equal(rt, digests(first), digests(again))
			})
		})
	}
}

func shuffled[T any](random *rand.Rand, s []T) []T {
	s = slices.Clone(s)
	random.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

func digests(set Set) []string {
	var all []string
	for _, o := range set.Objects {
		all = append(all, manifest.Identity(o.Object)+" "+string(o.Digest))
	}
	return all
}

// TestParallel: many renders at the same time, of kustomizations too, are those
// of one after the other. make test runs it a second time under the race detector.
func TestParallel(t *testing.T) {
	for name, input := range goldens(t) {
		set, err := Application(input())
		require.NoError(t, err)
		want := asText(t, set)
		for range 8 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				set, err := Application(input())
				require.NoError(t, err)
				require.Equal(t, want, asText(t, set), "beside others")
			})
		}
	}
}

// TestRestart: a spec that was read back from the status branch, without the
// values of its secrets, renders the same pods, keeps the secrets as they are
// and has no digest of them where their values would be. A secret with an encrypted file
// renders as before: no value of it was ever in the spec.
func TestRestart(t *testing.T) {
	for name, input := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			in := input()
			before, err := Application(in)
			require.NoError(t, err)
			redacted := in.Instance.Spec.Redact()
			in.Instance.Spec = &redacted
			after, err := Application(in)
			require.NoError(t, err)
			require.Len(t, after.Objects, len(before.Objects))
			for i, o := range after.Objects {
				if o.Object.GetKind() != "Secret" || o.Sealed != nil {
					require.Equal(t, before.Objects[i].Sealed, o.Sealed)
					require.Equal(t, string(before.Objects[i].JSON), string(o.JSON))
					continue
				}
				require.True(t, o.Keep)
				require.Equal(t, manifest.Identity(before.Objects[i].Object), manifest.Identity(o.Object))
				require.NotContains(t, o.Object.Object, "data")
			}
		})
	}
}

// TestSecretChangeReachesPods: other values of a secret are other pods.
func TestSecretChangeReachesPods(t *testing.T) {
	in := goldens(t)["webservice.txtar"]()
	template := func() model.Digest {
		set, err := Application(in)
		require.NoError(t, err)
		for _, o := range set.Objects {
			if o.Object.GetKind() == "Deployment" {
				return model.DigestOf(o.Object.Object["spec"])
			}
		}
		t.Fatal("no Deployment")
		return ""
	}
	before := template()
	secret, _ := in.Instance.Spec.Component("credentials")
	secret.Properties = json.RawMessage(`{"data": {"password": "another"}}`)
	require.NotEqual(t, before, template())
}

// TestIdentity: every object says whose it is, and its digest is that of what is sent.
func TestIdentity(t *testing.T) {
	for name, input := range goldens(t) {
		set, err := Application(input())
		require.NoError(t, err)
		seen := map[string]bool{}
		for i, o := range set.Objects {
			require.False(t, seen[manifest.Identity(o.Object)], name)
			seen[manifest.Identity(o.Object)] = true
			require.Equal(t, set.Namespace, o.Object.GetNamespace())
			require.Equal(t, model.DigestOf(o.Object.Object), o.Digest)
			require.True(t, i == 0 || set.Objects[i-1].Stage <= o.Stage)
			if o.Keep {
				continue
			}
			labels := o.Object.GetLabels()
			require.Equal(t, o.Component, labels[LabelComponent])
			for _, label := range []string{LabelFleet, LabelTenant, LabelApplication, LabelInstance, LabelName, LabelPartOf} {
				require.NotEmpty(t, labels[label], label)
			}
			require.Equal(t, ManagedBy, labels[LabelManagedBy])
			bare := o.Object.DeepCopy()
			annotations := bare.GetAnnotations()
			applied := annotations[AnnotationApplied]
			delete(annotations, AnnotationApplied)
			bare.SetAnnotations(annotations)
			require.Equal(t, string(model.DigestOf(bare.Object)), applied)
		}
	}
}

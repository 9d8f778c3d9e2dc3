package trait

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// giving returns a trait that gives a patch, and remembers what it was given.
func giving(name string, p Patch, seen *Patch, needs ...string) Trait {
	return Trait{Name: name, Needs: needs, Process: func(c Context, _ json.RawMessage) (Patch, error) {
		if seen != nil {
			*seen = c.Given
		}
		return p, nil
	}}
}

// TestTraitsComeAfterWhatTheyNeed: the order follows from the needs, else from the names; traits
// that wait for each other stop the program when it starts.
func TestTraitsComeAfterWhatTheyNeed(t *testing.T) {
	names := func(traits ...Trait) (all []string) {
		byName := map[string]Trait{}
		for _, t := range traits {
			byName[t.Name] = t
		}
		for _, t := range inOrder(byName) {
			all = append(all, t.Name)
		}
		return all
	}
	require.Equal(t, []string{"b", "d", "c", "a"}, names(Trait{Name: "a", Needs: []string{"c"}}, Trait{Name: "b"}, Trait{Name: "c", Needs: []string{"d"}}, Trait{Name: "d"}))
	require.PanicsWithValue(t, "traits that wait for each other, or for one that does not exist: a, b", func() {
		names(Trait{Name: "a", Needs: []string{"b"}}, Trait{Name: "b", Needs: []string{"a"}})
	})
	for i, trait := range All() {
		for _, need := range trait.Needs {
			require.Less(t, slices.IndexFunc(All(), func(t Trait) bool { return t.Name == need }), i, "%s needs %s", trait.Name, need)
		}
	}
}

// TestPatchesAreMerged: lists are joined in order, a trait sees what those before it gave, and what two
// of them both give is an error that names both.
func TestPatchesAreMerged(t *testing.T) {
	component := &model.Component{Traits: []byte(`{"a": {}, "b": {}}`)}
	var seen Patch
	variable := func(name string) Patch { return Patch{Main: Main{Env: []corev1.EnvVar{{Name: name}}}} }
	merged, err := process([]Trait{giving("a", variable("A"), nil), giving("b", variable("B"), &seen, "a")}, Context{Component: component})
	require.NoError(t, err)
	require.Equal(t, []corev1.EnvVar{{Name: "A"}, {Name: "B"}}, merged.Main.Env)
	require.Equal(t, variable("A"), seen)

	proxy := []corev1.Container{{Name: "proxy"}}
	for want, pair := range map[string][2]Patch{
		"variable A":             {variable("A"), variable("A")},
		"container proxy":        {{Before: proxy}, {Beside: proxy}},
		"the mount at /data":     {{Main: Main{Mounts: []corev1.VolumeMount{{Name: "a", MountPath: "/data"}}}}, {Main: Main{Mounts: []corev1.VolumeMount{{Name: "b", MountPath: "/data"}}}}},
		"volume data":            {{Volumes: []corev1.Volume{{Name: "data"}}}, {Claims: []corev1.PersistentVolumeClaim{{}}, Volumes: []corev1.Volume{{Name: "data"}}}},
		"the readiness probe":    {{Main: Main{Readiness: &corev1.Probe{}}}, {Main: Main{Readiness: &corev1.Probe{}}}},
		"the number of replicas": {{Replicas: Replicas{Scaled: true}}, {Replicas: Replicas{Scaled: true}}},
	} {
		_, err := process([]Trait{giving("a", pair[0], nil), giving("b", pair[1], nil)}, Context{Component: component})
		require.EqualError(t, err, "DA1703 traits.b: gives "+want+", and so does trait a")
	}
}

// TestVariablesOfTraits: a variable that the component declares is its own.
func TestVariablesOfTraits(t *testing.T) {
	c := Context{Component: &model.Component{Traits: []byte(`{"a": {}}`)}, Env: map[string]declared.Variable{"A": {Value: "1"}}}
	_, err := process([]Trait{giving("a", Patch{Main: Main{Env: []corev1.EnvVar{{Name: "A"}}}}, nil)}, c)
	require.EqualError(t, err, "DA1703 properties.env.A: is given by trait a, too")
	_, err = process([]Trait{giving("a", Patch{Main: Main{Env: []corev1.EnvVar{{Name: "B"}}}}, nil)}, c)
	require.NoError(t, err)
}

// TestFieldsOfPatchesHaveNames: a message can say what two traits both give.
func TestFieldsOfPatchesHaveNames(t *testing.T) {
	require.Empty(t, unnamed(Patch{}))
}

// unnamed lists the fields that one trait has and that messages have no words for.
func unnamed(patch any) (fields []string) {
	v := reflect.ValueOf(patch)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch f.Type.Kind() {
		case reflect.Struct:
			fields = append(fields, unnamed(v.Field(i).Interface())...)
		case reflect.Slice:
		default:
			if f.Tag.Get("is") == "" {
				fields = append(fields, f.Name)
			}
		}
	}
	return fields
}

package trait

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Variables returns environment variables in order of their names, and the config and secret components
// that they refer to.
func (c Context) Variables(below string, values map[string]declared.Variable) (all []corev1.EnvVar, references []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v, path := values[name], below+"."+name
		variable := corev1.EnvVar{Name: name, Value: v.Value}
		var object corev1.LocalObjectReference
		switch {
		case v.Secret != nil:
			object, err = c.Source(path+".secret", "secret", v.Secret.Source(), &references)
			variable.ValueFrom = &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: object, Key: v.Secret.Key}}
		case v.Config != nil:
			object, err = c.Source(path+".config", "config", v.Config.Source(), &references)
			variable.ValueFrom = &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: object, Key: v.Config.Key}}
		case v.Field != "":
			variable.ValueFrom = &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: v.Field}}
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, variable)
	}
	return all, references, nil
}

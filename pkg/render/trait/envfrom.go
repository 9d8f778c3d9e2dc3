package trait

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "envFrom", Process: reading("envFrom", envFrom)})

// envFromSource names the config or the secret of one entry.
type envFromSource struct {
	Config *declared.Source `json:"config"`
	Secret *declared.Source `json:"secret"`
}

// envFrom makes all keys of config and secret components environment variables.
func envFrom(c Context, sources keySources) (patch Patch, err error) {
	patch.Main.EnvFrom, patch.References, err = sources.render("traits.envFrom", c)
	return patch, err
}

// keySources are configs and secrets of which a container has all keys.
type keySources []envFromSource

// render returns where a container has the keys from, and the config and secret components among
// these.
func (sources keySources) render(path string, c Context) (all []corev1.EnvFromSource, references []string, err error) {
	for _, s := range sources {
		var source corev1.EnvFromSource
		var object corev1.LocalObjectReference
		switch {
		case s.Config != nil && s.Secret == nil:
			object, err = c.Source(path, "config", *s.Config, &references)
			source.ConfigMapRef = &corev1.ConfigMapEnvSource{LocalObjectReference: object}
		case s.Secret != nil && s.Config == nil:
			object, err = c.Source(path, "secret", *s.Secret, &references)
			source.SecretRef = &corev1.SecretEnvSource{LocalObjectReference: object}
		default:
			err = declared.Faultf(declared.CodeUnreadable, path, "takes a config or a secret in each entry")
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, source)
	}
	return all, references, nil
}

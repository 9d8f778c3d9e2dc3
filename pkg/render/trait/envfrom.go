package trait

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "envFrom", Process: reading("envFrom", envFrom)})

// envFromSource names the config or the secret of one entry.
type envFromSource struct {
	Config string              `json:"config"`
	Secret *declared.SecretRef `json:"secret"`
}

// envFrom makes all keys of config and secret components environment variables.
func envFrom(c Context, sources []envFromSource) (patch Patch, err error) {
	for _, s := range sources {
		var source corev1.EnvFromSource
		var object corev1.LocalObjectReference
		switch {
		case s.Config != "" && s.Secret == nil:
			object, err = c.object("traits.envFrom", "config", s.Config, &patch.References)
			source.ConfigMapRef = &corev1.ConfigMapEnvSource{LocalObjectReference: object}
		case s.Secret != nil && s.Config == "":
			object, err = c.secret("traits.envFrom", *s.Secret, &patch.References)
			source.SecretRef = &corev1.SecretEnvSource{LocalObjectReference: object}
		default:
			err = declared.Faultf(declared.CodeUnreadable, "traits.envFrom", "takes a config or a secret in each entry")
		}
		if err != nil {
			return Patch{}, err
		}
		patch.Main.EnvFrom = append(patch.Main.EnvFrom, source)
	}
	return patch, nil
}

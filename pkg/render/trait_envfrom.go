package render

import corev1 "k8s.io/api/core/v1"

// envFromSource names the config or the secret of one entry.
type envFromSource struct {
	Config string     `json:"config"`
	Secret *secretRef `json:"secret"`
}

// envFrom makes all keys of config and secret components environment variables.
func (p *pod) envFrom(sources []envFromSource) error {
	for _, s := range sources {
		var source corev1.EnvFromSource
		switch {
		case s.Config != "" && s.Secret == nil:
			object, err := p.refer("traits.envFrom", "config", s.Config)
			if err != nil {
				return err
			}
			source.ConfigMapRef = &corev1.ConfigMapEnvSource{LocalObjectReference: object}
		case s.Secret != nil && s.Config == "":
			object, err := p.referSecret("traits.envFrom", *s.Secret)
			if err != nil {
				return err
			}
			source.SecretRef = &corev1.SecretEnvSource{LocalObjectReference: object}
		default:
			return faultf(CodeUnreadable, "traits.envFrom", "takes a config or a secret in each entry")
		}
		p.main.EnvFrom = append(p.main.EnvFrom, source)
	}
	return nil
}

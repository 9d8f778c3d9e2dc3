package render

import corev1 "k8s.io/api/core/v1"

// envFrom makes all keys of config and secret components environment variables.
func envFrom(c traitContext) (result traitResult, err error) {
	var sources []struct {
		Config string `json:"config"`
		Secret string `json:"secret"`
	}
	if err := c.decode("envFrom", &sources); err != nil {
		return result, err
	}
	for _, s := range sources {
		var source corev1.EnvFromSource
		switch {
		case s.Config != "" && s.Secret == "":
			name, err := c.refer("traits.envFrom", "config", s.Config)
			if err != nil {
				return result, err
			}
			source.ConfigMapRef = &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}
		case s.Secret != "" && s.Config == "":
			name, err := c.refer("traits.envFrom", "secret", s.Secret)
			if err != nil {
				return result, err
			}
			source.SecretRef = &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}
		default:
			return result, faultf(CodeUnreadable, "traits.envFrom", "takes a config or a secret in each entry")
		}
		result.envFrom = append(result.envFrom, source)
		result.references = append(result.references, s.Config+s.Secret)
	}
	return result, nil
}

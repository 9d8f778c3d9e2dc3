package trait

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// extra is a container beside the component's own.
type extra struct {
	Name    string                       `json:"name"`
	Image   string                       `json:"image"`
	Command []string                     `json:"command"`
	Args    []string                     `json:"args"`
	Env     map[string]declared.Variable `json:"env"`
	Mounts  map[string]string            `json:"mounts"` // paths by the names of storage

	Resources share `json:"resources"` // of a sidecar
}

// extra renders what containers before and beside the component's own have in common, and the config
// and secret components that they refer to.
func (c Context) extra(path string, e *extra, others []extra) (corev1.Container, []string, error) {
	taken := func(other extra) bool { return other.Name == e.Name }
	if e.Name == c.Component.Name || slices.ContainsFunc(others, taken) {
		return corev1.Container{}, nil, declared.Faultf(declared.CodeConflict, path+".name", "is %s, and so is another container of the component", e.Name)
	}
	env, references, err := c.Variables(path+".env", e.Env)
	if err != nil {
		return corev1.Container{}, nil, err
	}
	container := corev1.Container{Name: e.Name, Image: e.Image, Command: e.Command, Args: e.Args, Env: env}
	for _, name := range slices.Sorted(maps.Keys(e.Mounts)) {
		if !slices.ContainsFunc(c.Given.Main.Mounts, func(m corev1.VolumeMount) bool { return m.Name == name }) {
			return container, nil, declared.Faultf(declared.CodeReference, path+".mounts."+name, "is not the name of a storage of the component")
		}
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: e.Mounts[name]})
	}
	return container, references, nil
}

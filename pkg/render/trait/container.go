package trait

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// extra is a container beside the component's own.
type extra struct {
	Name     string                       `json:"name"`
	Image    string                       `json:"image"`
	Command  []string                     `json:"command"`
	Args     []string                     `json:"args"`
	Env      map[string]declared.Variable `json:"env"`
	EnvFrom  keySources                   `json:"envFrom"`
	Mounts   map[string]part              `json:"mounts"` // by the names of storage
	Security *containerRights             `json:"security"`

	Resources share  `json:"resources"` // of a sidecar, as its probes
	Probes    health `json:"probes"`
}

// part is where a container has an entry of storage, or a part of it. Its path may stand alone.
type part struct {
	Path     string `json:"path"`
	SubPath  string `json:"subPath"`
	ReadOnly bool   `json:"readOnly"`
}

func (m *part) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &m.Path) == nil {
		return nil
	}
	type fields part
	return declared.Read(b, (*fields)(m))
}

// extra renders what containers before and beside the component's own have in common, and the config
// and secret components that they refer to.
func (c Context) extra(path string, e *extra, others []extra) (corev1.Container, []string, error) {
	taken := func(other extra) bool { return other.Name == e.Name }
	if e.Name == c.Component.Name || slices.ContainsFunc(others, taken) {
		return corev1.Container{}, nil, declared.Faultf(declared.CodeConflict, path+".name", "is %s, and so is another container of the component", e.Name)
	}
	container := corev1.Container{Name: e.Name, Image: e.Image, Command: e.Command, Args: e.Args}
	var references, more []string
	var unset, unread, unsafe error
	container.Env, references, unset = c.Variables(path+".env", e.Env)
	container.EnvFrom, more, unread = e.EnvFrom.render(path+".envFrom", c)
	if e.Security != nil {
		container.SecurityContext, unsafe = e.Security.render(path+".security", c.Component.OS)
	}
	if err := cmp.Or(unset, unread, unsafe); err != nil {
		return container, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(e.Mounts)) {
		if !slices.ContainsFunc(c.Given.Main.Mounts, func(m corev1.VolumeMount) bool { return m.Name == name }) {
			return container, nil, declared.Faultf(declared.CodeReference, path+".mounts."+name, "is not the name of a storage of the component")
		}
		m := e.Mounts[name]
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: m.Path, SubPath: m.SubPath, ReadOnly: m.ReadOnly})
	}
	return container, append(references, more...), nil
}

package trait

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "security", Process: reading("security", security)})

// rights is the declaration of the security trait.
type rights struct {
	containerRights
	Groups      []int64 `json:"groups"`
	VolumeGroup *int64  `json:"volumeGroup"`
	NonRoot     bool    `json:"nonRoot"`
}

// containerRights are the user and the rights of one container.
type containerRights struct {
	User         *int64              `json:"user"`
	Group        *int64              `json:"group"`
	ReadOnlyRoot bool                `json:"readOnlyRoot"`
	Capabilities []corev1.Capability `json:"capabilities"`
}

// security sets users, groups and rights. They come on top of what every pod has. The schema
// allows capabilities of the baseline Pod Security Standard only; that of the tenant may be stricter.
func security(c Context, r rights) (Patch, error) {
	main, err := r.containerRights.render("traits.security", c.Component.OS)
	if err != nil {
		return Patch{}, err
	}
	pod := &corev1.PodSecurityContext{FSGroup: r.VolumeGroup, SupplementalGroups: r.Groups}
	if r.NonRoot {
		pod.RunAsNonRoot = new(true)
	}
	return Patch{Main: Main{Security: main}, Pod: Pod{Security: pod}}, nil
}

// render returns the rights of a container of an operating system, beyond those that every container has.
func (r containerRights) render(path, os string) (*corev1.SecurityContext, error) {
	if os == "windows" {
		return nil, declared.Faultf(declared.CodeConflict, path, "is for containers of linux: windows has no such users and rights")
	}
	given := &corev1.SecurityContext{RunAsUser: r.User, RunAsGroup: r.Group}
	if r.ReadOnlyRoot {
		given.ReadOnlyRootFilesystem = new(true)
	}
	if r.Capabilities != nil {
		given.Capabilities = &corev1.Capabilities{Add: r.Capabilities}
	}
	return given, nil
}

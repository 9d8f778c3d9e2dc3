package trait

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "storage", Process: reading("storage", storage)})

// mount is one directory of a container.
type mount struct {
	Name         string            `json:"name"`
	Type         string            `json:"type"`
	MountPath    string            `json:"mountPath"`
	Size         string            `json:"size"`
	StorageClass string            `json:"storageClass"`
	ReadOnly     bool              `json:"readOnly"`
	Source       declared.Source   `json:"source"`
	SubPath      string            `json:"subPath"`
	Memory       bool              `json:"memory"`
	Claim        string            `json:"claim"`  // that others made
	Shared       bool              `json:"shared"` // several pods may have it
	Keys         map[string]string `json:"keys"`   // by file
	Files        map[string]string `json:"files"`  // fields of the pod
}

// storage mounts volumes. Each replica of a store has its own claim for a persistent
// volume; other components have one claim, which only one pod can use. Claims stay
// after their declaration is removed.
func storage(c Context, mounts []mount) (patch Patch, err error) {
	inMemory := int64(0)
	names, paths := map[string]bool{}, map[string]bool{}
	for i, m := range mounts {
		path := fmt.Sprintf("traits.storage.%d", i)
		if names[m.Name] || paths[m.MountPath] {
			return patch, declared.Faultf(declared.CodeConflict, path, "mounts %s at %s, and so does another entry", m.Name, m.MountPath)
		}
		names[m.Name], paths[m.MountPath] = true, true
		volume := corev1.Volume{Name: m.Name}
		switch m.Type {
		case "persistent":
			claim, err := m.claim(path, c.Claims)
			if err != nil {
				return patch, err
			}
			if c.Kind == "StatefulSet" {
				claim.Labels = c.Selector
				patch.Claims = append(patch.Claims, *claim)
				break
			}
			if err := m.forOne(path, c); err != nil {
				return patch, err
			}
			claim.Name = declared.Join(declared.MaxName, c.Name, m.Name)
			claim.Annotations = declared.Merge(claim.Annotations, c.Claims.Deleted)
			patch.Objects = append(patch.Objects, claim)
			volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}
			patch.Replicas.Exclusive = patch.Replicas.Exclusive || !m.Shared
		case "claim":
			if err := cmp.Or(mayName(path+".claim", "claim", m.Claim, "claims", c.Policy.Existing.Claims), m.forOne(path, c)); err != nil {
				return patch, err
			}
			volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: m.Claim, ReadOnly: m.ReadOnly}
			patch.Replicas.Exclusive = patch.Replicas.Exclusive || !m.Shared
		case "ephemeral":
			if volume.EmptyDir, err = m.scratch(path, c.Resources, &inMemory); err != nil {
				return patch, err
			}
		case "config", "secret":
			object, err := c.Source(path+".source", m.Type, m.Source, &patch.References)
			if err != nil {
				return patch, err
			}
			if m.Type == "config" {
				volume.ConfigMap = &corev1.ConfigMapVolumeSource{LocalObjectReference: object, Items: m.items()}
			} else {
				volume.Secret = &corev1.SecretVolumeSource{SecretName: object.Name, Items: m.items()}
			}
		case "pod":
			volume.DownwardAPI = m.fields()
		default:
			return patch, declared.Faultf(declared.CodeUnreadable, path+".type", "%q is not a type of storage", m.Type)
		}
		if volume.VolumeSource != (corev1.VolumeSource{}) {
			patch.Volumes = append(patch.Volumes, volume)
		}
		patch.Main.Mounts = append(patch.Main.Mounts, corev1.VolumeMount{
			Name: m.Name, MountPath: m.MountPath, ReadOnly: m.ReadOnly, SubPath: m.SubPath,
		})
	}
	return patch, nil
}

// forOne refuses a volume that one pod has at a time where there are several.
func (m mount) forOne(path string, c Context) error {
	if !m.Shared && (c.Kind == "DaemonSet" || c.Component.Replicas > 1) {
		return declared.Faultf(declared.CodeConflict, path, "is one volume for several replicas; write shared if its class lets them share it, or a component of type store, which gives each its own")
	}
	return nil
}

// scratch renders a directory that ends with its pod. One in memory has a part of what the component requests, which
// inMemory adds up: arbitration counts what is requested.
func (m mount) scratch(path string, all corev1.ResourceRequirements, inMemory *int64) (*corev1.EmptyDirVolumeSource, error) {
	directory := &corev1.EmptyDirVolumeSource{}
	if m.Size != "" {
		bytes, err := model.ParseMemory(m.Size)
		if err != nil {
			return nil, declared.Faultf(declared.CodeUnreadable, path+".size", "%v", err)
		}
		directory.SizeLimit = new(declared.Quantity("memory", bytes))
	}
	if !m.Memory {
		return directory, nil
	}
	if directory.SizeLimit == nil {
		return nil, declared.Faultf(declared.CodeUnreadable, path+".size", "is missing: a directory in memory has a part of the memory of the component")
	}
	if *inMemory += directory.SizeLimit.Value(); *inMemory >= all.Requests.Memory().Value() {
		return nil, declared.Faultf(declared.CodeConflict, path+".size", "leaves nothing to the container of the component, which requests %s of memory in all", all.Requests.Memory())
	}
	directory.Medium = corev1.StorageMediumMemory
	return directory, nil
}

// items returns which keys become which files, nil for all by their names.
func (m mount) items() (items []corev1.KeyToPath) {
	for _, file := range slices.Sorted(maps.Keys(m.Keys)) {
		items = append(items, corev1.KeyToPath{Key: m.Keys[file], Path: file})
	}
	return items
}

// fields renders a directory with fields of the pod.
func (m mount) fields() *corev1.DownwardAPIVolumeSource {
	source := &corev1.DownwardAPIVolumeSource{}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		source.Items = append(source.Items, corev1.DownwardAPIVolumeFile{
			Path: name, FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: m.Files[name]},
		})
	}
	return source
}

// claim renders the claim of a persistent volume.
func (m mount) claim(path string, c Claims) (*corev1.PersistentVolumeClaim, error) {
	bytes, err := model.ParseMemory(m.Size)
	if err != nil || bytes == 0 {
		return nil, declared.Faultf(declared.CodeUnreadable, path+".size", "a persistent volume has a size such as 20Gi")
	}
	claim := declared.Claim(m.Name, c.Kept, declared.Quantity("memory", bytes), m.StorageClass)
	if m.Shared {
		claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	}
	return claim, nil
}

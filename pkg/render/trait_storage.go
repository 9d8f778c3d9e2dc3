package render

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// mount is one directory of a container.
type mount struct {
	Name         string `json:"name"`
	Type         string `json:"type"`
	MountPath    string `json:"mountPath"`
	Size         string `json:"size"`
	StorageClass string `json:"storageClass"`
	ReadOnly     bool   `json:"readOnly"`
	Source       string `json:"source"`
	SubPath      string `json:"subPath"`
}

// storage mounts volumes. A persistent one of a store is a claim of each
// replica; of anything else it is one claim, so only one pod can have it. Claims
// outlive their declaration.
func storage(c traitContext) (result traitResult, err error) {
	var mounts []mount
	if err := c.decode("storage", &mounts); err != nil {
		return result, err
	}
	names, paths := map[string]bool{}, map[string]bool{}
	for i, m := range mounts {
		path := fmt.Sprintf("traits.storage.%d", i)
		if names[m.Name] || paths[m.MountPath] {
			return result, faultf(CodeConflict, path, "mounts %s at %s, and so does another entry", m.Name, m.MountPath)
		}
		names[m.Name], paths[m.MountPath] = true, true
		volume := corev1.Volume{Name: m.Name}
		switch m.Type {
		case "persistent":
			claim, err := c.claim(path, m)
			if err != nil {
				return result, err
			}
			if c.kind == "StatefulSet" {
				claim.Labels = c.app.selector(c.spec.Name)
				result.claimTemplates = append(result.claimTemplates, *claim)
				break
			}
			if c.kind == "DaemonSet" || c.spec.Replicas > 1 {
				return result, faultf(CodeConflict, path, "is one volume for several replicas; a component of type store gives each its own")
			}
			claim.Name = join(maxName, c.name, m.Name)
			claim.Annotations = merge(claim.Annotations, c.app.deletion())
			c.out.add(claim)
			volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}
			result.exclusive = true
		case "ephemeral":
			volume.EmptyDir = &corev1.EmptyDirVolumeSource{}
			if m.Size != "" {
				bytes, err := model.ParseMemory(m.Size)
				if err != nil {
					return result, faultf(CodeUnreadable, path+".size", "%v", err)
				}
				size := quantity("memory", bytes)
				volume.EmptyDir.SizeLimit = &size
			}
		case "config", "secret":
			object, err := c.refer(path+".source", m.Type, m.Source)
			if err != nil {
				return result, err
			}
			result.references = append(result.references, m.Source)
			if m.Type == "config" {
				volume.ConfigMap = &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: object}}
			} else {
				volume.Secret = &corev1.SecretVolumeSource{SecretName: object}
			}
		default:
			return result, faultf(CodeUnreadable, path+".type", "%q is not a type of storage", m.Type)
		}
		if volume.VolumeSource != (corev1.VolumeSource{}) {
			result.volumes = append(result.volumes, volume)
		}
		result.mounts = append(result.mounts, corev1.VolumeMount{
			Name: m.Name, MountPath: m.MountPath, ReadOnly: m.ReadOnly, SubPath: m.SubPath,
		})
	}
	return result, nil
}

// claim renders the claim of a persistent volume.
func (w *workload) claim(path string, m mount) (*corev1.PersistentVolumeClaim, error) {
	bytes, err := model.ParseMemory(m.Size)
	if err != nil || bytes == 0 {
		return nil, faultf(CodeUnreadable, path+".size", "a persistent volume has a size such as 20Gi")
	}
	claim := &corev1.PersistentVolumeClaim{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: metav1.ObjectMeta{
			Name: m.Name, Annotations: map[string]string{AnnotationPrune: PruneKeep},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: quantity("memory", bytes)},
			},
		},
	}
	if m.StorageClass != "" {
		claim.Spec.StorageClassName = &m.StorageClass
	}
	return claim, nil
}

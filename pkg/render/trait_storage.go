package render

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// mount is one directory of a container.
type mount struct {
	Name         string    `json:"name"`
	Type         string    `json:"type"`
	MountPath    string    `json:"mountPath"`
	Size         string    `json:"size"`
	StorageClass string    `json:"storageClass"`
	ReadOnly     bool      `json:"readOnly"`
	Source       secretRef `json:"source"`
	SubPath      string    `json:"subPath"`
}

// storage mounts volumes. Each replica of a store has its own claim for a persistent
// volume; other components have one claim, which only one pod can use. Claims stay
// after their declaration is removed.
func (p *pod) storage(mounts []mount) error {
	names, paths := map[string]bool{}, map[string]bool{}
	for i, m := range mounts {
		path := fmt.Sprintf("traits.storage.%d", i)
		if names[m.Name] || paths[m.MountPath] {
			return faultf(CodeConflict, path, "mounts %s at %s, and so does another entry", m.Name, m.MountPath)
		}
		names[m.Name], paths[m.MountPath] = true, true
		volume := corev1.Volume{Name: m.Name}
		switch m.Type {
		case "persistent":
			claim, err := m.claim(path)
			if err != nil {
				return err
			}
			if p.kind == "StatefulSet" {
				claim.Labels = p.app.selector(p.spec.Name)
				p.claims = append(p.claims, *claim)
				break
			}
			if p.kind == "DaemonSet" || p.spec.Replicas > 1 {
				return faultf(CodeConflict, path, "is one volume for several replicas; a component of type store gives each its own")
			}
			claim.Name = join(maxName, p.name, m.Name)
			claim.Annotations = merge(claim.Annotations, p.app.deletion())
			p.out.add(claim)
			volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}
			p.exclusive = true
		case "ephemeral":
			volume.EmptyDir = &corev1.EmptyDirVolumeSource{}
			if m.Size != "" {
				bytes, err := model.ParseMemory(m.Size)
				if err != nil {
					return faultf(CodeUnreadable, path+".size", "%v", err)
				}
				size := quantity("memory", bytes)
				volume.EmptyDir.SizeLimit = &size
			}
		case "config":
			object, err := p.refer(path+".source", "config", m.Source.Name)
			if err != nil {
				return err
			}
			volume.ConfigMap = &corev1.ConfigMapVolumeSource{LocalObjectReference: object}
		case "secret":
			object, err := p.referSecret(path+".source", m.Source)
			if err != nil {
				return err
			}
			volume.Secret = &corev1.SecretVolumeSource{SecretName: object.Name}
		default:
			return faultf(CodeUnreadable, path+".type", "%q is not a type of storage", m.Type)
		}
		if volume.VolumeSource != (corev1.VolumeSource{}) {
			p.template.Spec.Volumes = append(p.template.Spec.Volumes, volume)
		}
		p.main.VolumeMounts = append(p.main.VolumeMounts, corev1.VolumeMount{
			Name: m.Name, MountPath: m.MountPath, ReadOnly: m.ReadOnly, SubPath: m.SubPath,
		})
	}
	return nil
}

// claim renders the claim of a persistent volume.
func (m mount) claim(path string) (*corev1.PersistentVolumeClaim, error) {
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

package declared

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Quantity converts an amount of the named resource.
func Quantity(name string, n int64) resource.Quantity {
	switch name {
	case "cpu":
		return *resource.NewMilliQuantity(n, resource.DecimalSI)
	case "memory":
		return *resource.NewQuantity(n, resource.BinarySI)
	}
	return *resource.NewQuantity(n, resource.DecimalSI)
}

// Claim returns a claim for a volume of a size that one node has at a time. Without a class it is of that of the cluster.
func Claim(name string, annotations map[string]string, size resource.Quantity, class string) *corev1.PersistentVolumeClaim {
	claim := &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
		},
	}
	if class != "" {
		claim.Spec.StorageClassName = &class
	}
	return claim
}

package component

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// secret renders a secret component. If only digests of its values are known, or if its
// encrypted file is not available, the live object stays as it is.
func secret(in Input) (out Output, err error) {
	if file := in.Spec.Encrypted(); file != "" {
		out.Sealed = file
		out.add(&corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: in.Name, Annotations: map[string]string{AnnotationEncrypted: string(in.Spec.Source)}},
			Type:       corev1.SecretTypeOpaque,
		})
		return out, nil
	}
	d, err := dataOf(in.Spec)
	if err != nil {
		return out, err
	}
	out.Keep = in.Spec.Redacted()
	values := make(map[string][]byte, len(d))
	for k, v := range d {
		values[k] = []byte(v)
	}
	out.add(&corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: in.Name},
		Type:       corev1.SecretTypeOpaque,
		Data:       values,
	})
	return out, nil
}

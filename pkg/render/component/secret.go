package component

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// secret renders a secret component. If only digests of its values are known, or if its
// encrypted file is not available, the live object stays as it is.
func secret(in Input) (out Output, err error) {
	object := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: in.Name},
		Type:       corev1.SecretTypeOpaque,
	}
	if file := in.Spec.Encrypted(); file != "" {
		out.Sealed, object.Annotations = file, map[string]string{AnnotationEncrypted: string(in.Spec.Source)}
		out.add(object)
		return out, nil
	}
	var p data
	if err := properties(in.Spec, &p); err != nil {
		return out, err
	}
	out.Keep, object.Data = in.Spec.Redacted(), make(map[string][]byte, len(p.Data))
	for k, v := range p.Data {
		object.Data[k] = []byte(v)
	}
	out.add(object)
	return out, p.fits()
}

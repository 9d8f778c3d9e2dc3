package component

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// MaxData is the limit of the API server for the data of one object, in bytes.
const MaxData = 1 << 20

// config renders a config component.
func config(in Input, p data) (out Output, err error) {
	out.add(&corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: in.Name},
		Data:       p.Data,
	})
	return out, p.fits()
}

// fits refuses more data than a cluster takes.
func (d data) fits() error {
	size := 0
	for k, v := range d.Data {
		size += len(k) + len(v)
	}
	if size > MaxData {
		return declared.Faultf(declared.CodeSize, "properties.data", "has %d bytes, a cluster takes at most %d in one object", size, MaxData)
	}
	return nil
}

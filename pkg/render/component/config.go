package component

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// MaxData is the limit of the API server for the data of one object, in bytes.
const MaxData = 1 << 20

// config renders a config component.
func config(in Input) (out Output, err error) {
	d, err := dataOf(in.Spec)
	if err != nil {
		return out, err
	}
	out.add(&corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: in.Name},
		Data:       d,
	})
	return out, nil
}

// dataOf returns the data of a config or secret component.
func dataOf(c *model.Component) (map[string]string, error) {
	var p data
	if err := properties(c, &p); err != nil {
		return nil, err
	}
	size := 0
	for k, v := range p.Data {
		size += len(k) + len(v)
	}
	if size > MaxData {
		return nil, declared.Faultf(declared.CodeSize, "properties.data", "has %d bytes, a cluster takes at most %d in one object", size, MaxData)
	}
	return p.Data, nil
}

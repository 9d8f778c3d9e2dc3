package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// maxData is the limit of the API server for the data of one object, in bytes.
const maxData = 1 << 20

// config renders a config component.
func (w *workload) config() error {
	d, err := w.data()
	if err != nil {
		return err
	}
	w.out.add(&corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: w.name},
		Data:       d,
	})
	return nil
}

// secret renders a secret component. If only digests of its values are known, or if its
// encrypted file is not available, the live object stays as it is.
func (w *workload) secret() error {
	if file := w.spec.Encrypted(); file != "" {
		w.out.keep = w.out.keep || w.out.older && w.app.Kustomizations == nil
		w.out.sealed = &Sealed{File: file, Commit: w.app.spec.Commit}
		w.out.add(&corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: w.name, Annotations: map[string]string{AnnotationEncrypted: string(w.spec.Source)}},
			Type:       corev1.SecretTypeOpaque,
		})
		return nil
	}
	d, err := w.data()
	if err != nil {
		return err
	}
	w.out.keep = w.out.keep || w.spec.Redacted()
	values := make(map[string][]byte, len(d))
	for k, v := range d {
		values[k] = []byte(v)
	}
	w.out.add(&corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: w.name},
		Type:       corev1.SecretTypeOpaque,
		Data:       values,
	})
	return nil
}

func (w *workload) data() (map[string]string, error) {
	var p data
	if err := w.properties(&p); err != nil {
		return nil, err
	}
	size := 0
	for k, v := range p.Data {
		size += len(k) + len(v)
	}
	if size > maxData {
		return nil, declared.Faultf(declared.CodeSize, "properties.data", "has %d bytes, a cluster takes at most %d in one object", size, maxData)
	}
	return p.Data, nil
}

// configName returns the name by which pods refer to the object of a config or secret
// component. Versions of an application with a workflow run side by side, so there the
// name has a digest of the data: each version keeps its own configuration until its
// last pod ends, and a rollback restores it.
func (a *application) configName(c *model.Component) string {
	name := ObjectName(a.Instance.App, c.Name)
	if a.spec.Workflow == nil {
		return name
	}
	return name + "-" + a.configuration([]string{c.Name}).Short()
}

// configurations renders the objects that pods refer to by a name with a digest, of all
// versions. They do not count as objects of their component.
func (v versions) configurations() (objects []Object) {
	for _, a := range v {
		if a.spec.Workflow == nil {
			continue
		}
		for i := range a.spec.Components {
			c := &a.spec.Components[i]
			if c.Configures() == "" {
				continue
			}
			w := a.workload(c, model.ComponentState{Grant: model.Grant{Component: c.Name}})
			w.name, w.out.workload = a.configName(c), ""
			if w.render() == nil { // an error is reported for the component itself
				objects = append(objects, w.out.seal()...)
			}
		}
	}
	return objects
}

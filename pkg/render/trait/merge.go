package trait

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// merged is what several traits give together.
type merged struct {
	patch  Patch
	owners map[string]string // traits by what they gave and no other may give
}

// add adds the patch of a trait. What two traits give is an error, unless it is an element of a list that
// has no name.
func (m *merged) add(trait string, p Patch) error {
	return m.fields(trait, reflect.ValueOf(&m.patch).Elem(), reflect.ValueOf(p))
}

func (m *merged) fields(trait string, into, from reflect.Value) error {
	for i := range from.NumField() {
		field, value := into.Field(i), from.Field(i)
		if value.IsZero() {
			continue
		}
		switch value.Kind() {
		case reflect.Struct:
			if err := m.fields(trait, field, value); err != nil {
				return err
			}
		case reflect.Slice:
			for j := range value.Len() {
				if err := m.own(trait, called(value.Index(j).Interface())); err != nil {
					return err
				}
			}
			field.Set(reflect.AppendSlice(field, value))
		default:
			if err := m.own(trait, from.Type().Field(i).Tag.Get("is")); err != nil {
				return err
			}
			field.Set(value)
		}
	}
	return nil
}

// own records who gave something. Within one trait its own process keeps names apart.
func (m *merged) own(trait, what string) error {
	if other, taken := m.owners[what]; taken && what != "" && other != trait {
		return declared.Faultf(declared.CodeConflict, "traits."+trait, "gives %s, and so does trait %s", what, other)
	}
	m.owners[what] = trait
	return nil
}

// called returns what messages call an element of a list that there is once, "" for any other.
func called(element any) string {
	switch e := element.(type) {
	case corev1.Container:
		return "container " + e.Name
	case corev1.Volume:
		return "volume " + e.Name
	case corev1.PersistentVolumeClaim:
		return "volume " + e.Name
	case corev1.VolumeMount:
		return "the mount at " + e.MountPath
	case corev1.HostAlias:
		return "the names of " + e.IP
	case corev1.EnvVar:
		return "variable " + e.Name
	case runtime.Object:
		if o, err := meta.Accessor(e); err == nil {
			return e.GetObjectKind().GroupVersionKind().Kind + " " + o.GetName()
		}
	}
	return ""
}

package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// PatchObject returns an object after a merge patch or a JSON patch of an owner. A patch that changes
// what is not the owner's is refused.
func PatchObject(path string, merge, operations json.RawMessage, before *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if (merge == nil) == (operations == nil) {
		return nil, declared.Faultf(declared.CodeUnreadable, path, "has either merge or json")
	}
	was, err := json.Marshal(before.Object)
	if err != nil {
		return nil, declared.Faultf(declared.CodePatch, path, "cannot be carried out: %v", err)
	}
	now, err := patch(was, merge, operations)
	after := &unstructured.Unstructured{}
	if err == nil {
		err = after.UnmarshalJSON(now)
	}
	if err != nil {
		return nil, declared.Faultf(declared.CodePatch, path, "cannot be carried out on %s: %v", Identity(before), err)
	}
	kept, has := owned(before), owned(after)
	fields := maps.Clone(kept)
	maps.Copy(fields, has)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !reflect.DeepEqual(kept[field], has[field]) {
			return nil, declared.Faultf(declared.CodeOwned, path, "changes %s of %s, which patches leave as it is; fields of the component and other traits say it, or nobody may", field, Identity(before))
		}
	}
	return after, nil
}

func patch(was, merge, operations json.RawMessage) ([]byte, error) {
	if merge != nil {
		return jsonpatch.MergePatch(was, merge)
	}
	all, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		switch o.Kind() {
		case "add", "remove", "replace", "test":
		default: // a copy of a copy has no end
			return nil, fmt.Errorf("%q is no operation", o.Kind())
		}
	}
	return all.Apply(was)
}

// ownedFields are the fields that patches leave alone: who an object is, what it selects, and how many pods run.
var ownedFields = []string{
	"apiVersion", "kind", "metadata.name", "metadata.namespace", "spec.selector", "spec.replicas", "spec.suspend", "spec.serviceName",
	"spec.volumeClaimTemplates", "spec.scaleTargetRef", "spec.jobTemplate.spec.parallelism", "spec.jobTemplate.spec.completions",
}

// ownedOfPods are those of the spec of pods: as whom and where they run, and with which rights.
var ownedOfPods = []string{"serviceAccountName", "serviceAccount", "automountServiceAccountToken", "nodeSelector", "os", "securityContext", "restartPolicy", "enableServiceLinks"}

// owned returns what a patch may not change of an object, by the path of each.
func owned(u *unstructured.Unstructured) map[string]any {
	values := map[string]any{}
	add := func(in map[string]any, prefix string, fields []string) {
		for _, field := range fields {
			if v, there, _ := unstructured.NestedFieldNoCopy(in, strings.Split(field, ".")...); there {
				values[prefix+field] = v
			}
		}
	}
	add(u.Object, "", ownedFields)
	if s, runs := Workloads[u.GroupVersionKind().GroupKind().String()]; runs {
		template := u.Object
		for _, field := range s.Pod {
			template = declared.Below(template, field)
		}
		spec, prefix := declared.Below(template, "spec"), strings.Join(append(slices.Clone(s.Pod), "spec"), ".")+"."
		add(spec, prefix, ownedOfPods)
		for _, list := range []string{"initContainers", "containers"} {
			for _, c := range declared.Elements(spec[list]) {
				values[prefix+list+"."+declared.Word(c["name"])+".securityContext"] = []any{c["securityContext"]}
			}
		}
	}
	system(u.Object, "", values)
	return values
}

// system adds the labels and annotations of D-AROS in a value, by their paths.
func system(v any, path string, values map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if strings.HasPrefix(name, declared.Domain) {
				values[path+name] = inner
			}
			system(inner, path+name+".", values)
		}
	case []any:
		for i := range v {
			system(v[i], fmt.Sprintf("%s%d.", path, i), values)
		}
	}
}

// WithoutSystem returns an object without labels and annotations of D-AROS, as its owner could
// have written it.
func WithoutSystem(u *unstructured.Unstructured) *unstructured.Unstructured {
	bare := u.DeepCopy()
	declared.Walk(bare.Object, func(object map[string]any) {
		maps.DeleteFunc(object, func(name string, _ any) bool { return strings.HasPrefix(name, declared.Domain) })
	})
	return bare
}

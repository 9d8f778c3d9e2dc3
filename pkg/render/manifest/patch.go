package manifest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// patchFields are the fields that a patch may add to a pod: none that gives a right, that
// arbitration counts, or that a policy bounds.
var patchFields = anything("hostname", "subdomain", "setHostnameAsFQDN", "shareProcessNamespace", "dnsPolicy", "dnsConfig").with(fields{
	"containers": patchContainer, "initContainers": patchContainer,
})

var patchContainer = anything("name", "workingDir", "stdin", "stdinOnce", "tty", "terminationMessagePath", "terminationMessagePolicy")

// Patch merges a strategic merge patch of an owner into the spec of a pod. It adds fields and
// changes none, so that all that was decided about the spec stays true. Errors are at path.
func Patch(path string, patch map[string]any, spec *corev1.PodSpec) error {
	if found := patchFields.beyond(path, patch); found != "" {
		return declared.Faultf(declared.CodeField, found, "is not for a patch: another trait says it, or nobody may")
	}
	var typed corev1.PodSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(patch, &typed, true); err != nil {
		return declared.Faultf(declared.CodeUnreadable, path, "cannot be read: %v", err)
	}
	for field, lists := range map[string][2][]corev1.Container{
		"containers": {typed.Containers, spec.Containers}, "initContainers": {typed.InitContainers, spec.InitContainers},
	} {
		for i, c := range lists[0] {
			if !slices.ContainsFunc(lists[1], func(has corev1.Container) bool { return has.Name == c.Name }) {
				return declared.Faultf(declared.CodeReference, fmt.Sprintf("%s.%s.%d.name", path, field, i), "names %s, which is no such container of the pod", c.Name)
			}
		}
	}
	before, after, err := merge(spec, patch)
	if err != nil {
		return declared.Faultf(declared.CodeUnreadable, path, "cannot be merged: %v", err)
	}
	if changed := lost(path, before, after); changed != "" {
		return declared.Faultf(declared.CodeConflict, changed, "is given already; a patch adds fields and changes none")
	}
	*spec = corev1.PodSpec{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(after, spec); err != nil {
		return declared.Faultf(declared.CodeUnreadable, path, "cannot be merged: %v", err)
	}
	return nil
}

// merge returns the fields of a spec before and after a patch.
func merge(spec *corev1.PodSpec, patch map[string]any) (before, after map[string]any, err error) {
	before, err = runtime.DefaultUnstructuredConverter.ToUnstructured(spec)
	if err == nil {
		after, err = strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(before), patch, corev1.PodSpec{})
	}
	return before, after, err
}

// lost returns the path of the first value, in order, that is not the same after a patch,
// "" if all are.
func lost(path string, before, after any) string {
	switch before := before.(type) {
	case map[string]any:
		after, _ := after.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if found := lost(path+"."+name, before[name], after[name]); found != "" {
				return found
			}
		}
		return ""
	case []any:
		after, _ := after.([]any)
		if len(after) < len(before) {
			return path
		}
		for i := range before {
			if found := lost(fmt.Sprintf("%s.%d", path, i), before[i], after[i]); found != "" {
				return found
			}
		}
		return ""
	}
	if !reflect.DeepEqual(before, after) {
		return path
	}
	return ""
}

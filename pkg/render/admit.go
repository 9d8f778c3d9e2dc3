package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// admit checks one object that a tenant wrote, and makes it the component's. The
// path says where it comes from.
func (w *workload) admit(path string, u *unstructured.Unstructured) error {
	if err := wellFormed(path, u); err != nil {
		return err
	}
	if err := admitKind(path, u, w.app.spec.Policy.Kinds); err != nil {
		return err
	}
	if ns := u.GetNamespace(); ns != "" && ns != w.app.namespace {
		return faultf(CodeNamespace, path, "is for namespace %s; objects of this application land in %s", ns, w.app.namespace)
	}
	u.SetNamespace(w.app.namespace)
	if err := refuseReserved(path, u.GetLabels(), u.GetAnnotations()); err != nil {
		return err
	}
	if err := refuseFields(path, u); err != nil {
		return err
	}
	for _, field := range []string{"creationTimestamp", "generation", "resourceVersion", "selfLink", "uid", "managedFields"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(u.Object, "status")
	s, runs := workloads[u.GroupVersionKind().GroupKind().String()]
	if !runs {
		return nil
	}
	return w.admitPods(path, u, s)
}

// wellFormed reports whether u has the fields that every object has.
func wellFormed(path string, u *unstructured.Unstructured) error {
	if u.GetAPIVersion() == "" || u.GetKind() == "" || u.GetName() == "" {
		return faultf(CodeUnreadable, path, "has no apiVersion, kind or metadata.name")
	}
	if strings.Count(u.GetAPIVersion(), "/") > 1 {
		return faultf(CodeUnreadable, path, "has apiVersion %q, which is not a group and a version", u.GetAPIVersion())
	}
	if errs := validation.IsDNS1123Subdomain(u.GetName()); errs != nil {
		return faultf(CodeUnreadable, path, "has metadata.name %q: %s", u.GetName(), errs[0])
	}
	meta, ok := u.Object["metadata"].(map[string]any)
	if !ok {
		return faultf(CodeUnreadable, path, "has metadata that is not an object")
	}
	for _, field := range []string{"ownerReferences", "finalizers", "generateName"} {
		if _, there := meta[field]; there {
			return faultf(CodeReserved, path, "has metadata.%s, which is not for declared objects", field)
		}
	}
	return stringMaps(path, meta)
}

// stringMaps reports whether labels and annotations are what they should be, so
// that nothing hides in what cannot be read.
func stringMaps(path string, meta map[string]any) error {
	for _, field := range []string{"labels", "annotations"} {
		if _, _, err := unstructured.NestedStringMap(meta, field); err != nil {
			return faultf(CodeUnreadable, path, "has metadata.%s that are not words and texts", field)
		}
	}
	return nil
}

// refuseReserved refuses labels and annotations that are the system's own, and
// those that carry configuration into controllers of others.
func refuseReserved(path string, labels, annotations map[string]string) error {
	for _, words := range []map[string]string{labels, annotations} {
		for _, key := range slices.Sorted(maps.Keys(words)) {
			if strings.HasPrefix(key, Domain) {
				return faultf(CodeReserved, path, "sets %s; what begins with %s is set by the system", key, Domain)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if strings.HasSuffix(key, "-snippet") {
			return faultf(CodeReserved, path, "sets %s, which would put configuration into a controller that others share", key)
		}
	}
	return nil
}

// refuseFields refuses fields that give more rights than the tenant has, kind by kind.
func refuseFields(path string, u *unstructured.Unstructured) error {
	switch u.GroupVersionKind().GroupKind().String() {
	case "Service":
		if ips, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "externalIPs"); ips != nil {
			return faultf(CodePrivilege, path, "asks for spec.externalIPs, which would take traffic of others")
		}
	case "Secret":
		if kind, _, _ := unstructured.NestedFieldNoCopy(u.Object, "type"); kind == "kubernetes.io/service-account-token" {
			return faultf(CodePrivilege, path, "asks for a token of a service account")
		}
	case "PersistentVolumeClaim":
		if name, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "volumeName"); name != nil {
			return faultf(CodePrivilege, path, "asks for one certain volume (spec.volumeName)")
		}
	}
	return nil
}

// list writes words for people.
func list(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// at names an object of a component in paths.
func at(component string, i int) string { return fmt.Sprintf("%s.%d", component, i) }

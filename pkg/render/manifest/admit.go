package manifest

import (
	"cmp"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// An Admission decides which objects that a tenant wrote may become those of a
// component.
type Admission struct {
	Policy    *model.Policy
	Namespace string                            // of the application
	Labels    map[string]string                 // that all pods get
	Nodes     func() (map[string]string, error) // labels of the nodes that the component may run on
	Grant     model.Grant
	Standard  model.PodSecurity
	Accounts  []string // names of the ServiceAccounts that the component brings
	Token     bool     // its pods have the token of their account, for rights that policy allows

	RuntimeClass string // of its pods, that policy allows
	HostProcess  bool   // its pods are processes of a Windows node, which policy allows
}

// Admit checks one object that a tenant wrote, and changes it to one of the component.
// Errors are at path.
func (a Admission) Admit(path string, u *unstructured.Unstructured) error {
	if err := cmp.Or(wellFormed(path, u), admitKind(path, u, a.Policy.Kinds)); err != nil {
		return err
	}
	if ns := u.GetNamespace(); ns != "" && ns != a.Namespace {
		return declared.Faultf(declared.CodeNamespace, path, "is for namespace %s; objects of this application land in %s", ns, a.Namespace)
	}
	u.SetNamespace(a.Namespace)
	if err := declared.RefuseReserved(path, u.GetLabels(), u.GetAnnotations()); err != nil {
		return err
	}
	if name := u.GetName(); strings.HasPrefix(name, declared.SystemNames) || reservedNames[u.GetKind()] == name {
		return declared.Faultf(declared.CodeReserved, path, "is named %s, which is reserved for the system", name)
	}
	if err := refuseFields(path, u); err != nil {
		return err
	}
	for _, field := range []string{"creationTimestamp", "generation", "resourceVersion", "selfLink", "uid", "managedFields"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(u.Object, "status")
	if s, runs := Workloads[u.GroupVersionKind().GroupKind().String()]; runs {
		return a.admitPods(path, u, s)
	}
	if isAccount(u) {
		return a.admitAccount(path, u)
	}
	return nil
}

// wellFormed refuses an object without the fields that every object has, and one with
// fields that only the cluster sets.
func wellFormed(path string, u *unstructured.Unstructured) error {
	if u.GetAPIVersion() == "" || u.GetKind() == "" || u.GetName() == "" {
		return declared.Faultf(declared.CodeUnreadable, path, "has no apiVersion, kind or metadata.name")
	}
	if strings.Count(u.GetAPIVersion(), "/") > 1 {
		return declared.Faultf(declared.CodeUnreadable, path, "has apiVersion %q, which is not a group and a version", u.GetAPIVersion())
	}
	if errs := validation.IsDNS1123Subdomain(u.GetName()); errs != nil {
		return declared.Faultf(declared.CodeUnreadable, path, "has metadata.name %q: %s", u.GetName(), errs[0])
	}
	meta, ok := u.Object["metadata"].(map[string]any)
	if !ok {
		return declared.Faultf(declared.CodeUnreadable, path, "has metadata that is not an object")
	}
	for _, field := range []string{"ownerReferences", "finalizers", "generateName"} {
		if _, there := meta[field]; there {
			return declared.Faultf(declared.CodeReserved, path, "has metadata.%s, which is not for declared objects", field)
		}
	}
	return stringMaps(path, meta)
}

// stringMaps refuses labels and annotations that are not maps of strings: the checks
// after it could not read them.
func stringMaps(path string, meta map[string]any) error {
	for _, field := range []string{"labels", "annotations"} {
		if _, _, err := unstructured.NestedStringMap(meta, field); err != nil {
			return declared.Faultf(declared.CodeUnreadable, path, "has metadata.%s that are not words and texts", field)
		}
	}
	return nil
}

// reservedNames are names, by kind, that objects of the cluster in every namespace have.
var reservedNames = map[string]string{"ConfigMap": "kube-root-ca.crt", "ServiceAccount": "default"}

// refuseFields refuses fields that give more rights than the tenant has, kind by kind.
func refuseFields(path string, u *unstructured.Unstructured) error {
	switch u.GroupVersionKind().GroupKind().String() {
	case "Service":
		if ips, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "externalIPs"); ips != nil {
			return declared.Faultf(declared.CodePrivilege, path, "asks for spec.externalIPs, which would take traffic of others")
		}
		if kind, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "type"); kind == "ExternalName" {
			return declared.Faultf(declared.CodeField, path, "has spec.type ExternalName, which gives names outside the namespace an address in it")
		}
	case "Secret":
		if kind, _, _ := unstructured.NestedFieldNoCopy(u.Object, "type"); kind == "kubernetes.io/service-account-token" {
			return declared.Faultf(declared.CodePrivilege, path, "asks for a token of a service account")
		}
	case "Ingress.networking.k8s.io", "Ingress.extensions":
		for i, rule := range declared.Elements(declared.Below(u.Object, "spec")["rules"]) {
			for k, p := range declared.Elements(declared.Below(rule, "http")["paths"]) {
				if to := declared.Word(p["path"]); to != "" && !urlPath.MatchString(to) {
					return declared.Faultf(declared.CodeField, path, "has spec.rules.%d.http.paths.%d.path with more than the characters that RFC 3986 gives a path", i, k)
				}
			}
		}
	case "HTTPRoute.gateway.networking.k8s.io":
		for i, rule := range declared.Elements(declared.Below(u.Object, "spec")["rules"]) {
			for k, m := range declared.Elements(rule["matches"]) {
				if to := declared.Below(m, "path"); to["type"] != "RegularExpression" && to["value"] != nil && !urlPath.MatchString(declared.Word(to["value"])) {
					return declared.Faultf(declared.CodeField, path, "has spec.rules.%d.matches.%d.path.value with more than the characters that RFC 3986 gives a path", i, k)
				}
			}
		}
	case "PersistentVolumeClaim":
		if name, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "volumeName"); name != nil {
			return declared.Faultf(declared.CodePrivilege, path, "asks for one certain volume (spec.volumeName)")
		}
	}
	return nil
}

// urlPath is the path of RFC 3986. Controllers copy it into their configuration.
var urlPath = regexp.MustCompile(`^/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$`)

package render

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Lengths of names. Controllers append to the names of what they run (a Job of
// a CronJob, the revision of a StatefulSet) and the result is to be a label.
const (
	maxName      = 52
	maxNamespace = 63
)

// join joins parts to a name of at most limit characters. A longer one is cut
// and told apart by its digest.
func join(limit int, parts ...string) string {
	name := strings.Join(parts, "-")
	if len(name) <= limit {
		return name
	}
	return strings.TrimRight(name[:limit-9], "-") + "-" + model.DigestOf(name).Short()
}

// ObjectName returns the name of the objects of a component.
func ObjectName(app model.AppID, component string) string {
	return join(maxName, app.Name, component)
}

// Namespace returns the namespace that the objects of an application land in,
// as policy has it: its own, or the one of its tenant. That of a tenant is that
// of an application without a name.
func Namespace(prefix string, app model.AppID, policy string) string {
	if policy == "application" && app.Name != "" {
		return join(maxNamespace, prefix+app.Tenant, app.Name)
	}
	return join(maxNamespace, prefix+app.Tenant)
}

// reserved reports whether a namespace belongs to the cluster itself.
func reserved(namespace string) bool {
	return namespace == "default" || strings.HasPrefix(namespace, "kube-")
}

package render

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Lengths of names. Controllers append to the names of objects (a Job of a CronJob, a
// revision of a StatefulSet), and the result must be valid as a label.
const (
	maxName      = 52
	maxNamespace = 63
)

// join joins parts to a name of at most limit characters. A longer name is cut, and
// ends with its digest.
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

// Namespace returns the namespace of the objects of an application, by policy: its own
// namespace, or that of its tenant. An AppID without a name gives the tenant's.
func Namespace(prefix string, app model.AppID, policy string) string {
	if policy == "application" && app.Name != "" {
		return join(maxNamespace, prefix+app.Tenant, app.Name)
	}
	return join(maxNamespace, prefix+app.Tenant)
}

// reserved reports whether a namespace belongs to the cluster itself or to D-AROS.
func reserved(namespace string) bool {
	return namespace == "default" || strings.HasPrefix(namespace, "kube-") || strings.HasPrefix(namespace, "daros-")
}

// systemNames begin the names of objects that are not for tenants.
const systemNames = "d-aros"

package render

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

const maxNamespace = 63

// ObjectName returns the name of the objects of a component.
func ObjectName(app model.AppID, name string) string {
	return component.ObjectName(app, name)
}

// Namespace returns the namespace of the objects of an application, by policy: its own
// namespace, or that of its tenant. An AppID without a name gives the tenant's.
func Namespace(prefix string, app model.AppID, policy string) string {
	if policy == "application" && app.Name != "" {
		return declared.Join(maxNamespace, prefix+app.Tenant, app.Name)
	}
	return declared.Join(maxNamespace, prefix+app.Tenant)
}

// reserved reports whether a namespace belongs to the cluster itself or to D-AROS.
func reserved(namespace string) bool {
	return namespace == "default" || strings.HasPrefix(namespace, "kube-") || strings.HasPrefix(namespace, "daros-")
}

package declared

import (
	"fmt"
	"strings"
)

// Codes of the errors of rendering. docs/errors.md explains each.
const (
	CodeUnreadable = "DA1701" // properties or traits do not fit the type
	CodeReference  = "DA1702" // a reference to an object that does not exist
	CodeConflict   = "DA1703" // two things that exclude each other
	CodeName       = "DA1704" // two objects of one name
	CodeKind       = "DA1705" // a kind of object that policy does not allow
	CodeNamespace  = "DA1706" // an object outside the tenant's namespace
	CodeReserved   = "DA1707" // labels or annotations that are the system's own
	CodePrivilege  = "DA1708" // a pod asks for more than a tenant's pod may have
	CodeImage      = "DA1709" // an image from a registry that policy does not allow
	CodeUndeclared = "DA1710" // manifests ask for more than their component declares
	CodeFiles      = "DA1711" // a kustomization that is not read
	CodeBuild      = "DA1712" // a kustomization that kustomize refuses
	CodePlacement  = "DA1713" // a pool that is not declared any more
	CodeSize       = "DA1714" // more than a cluster or a pass can carry
	CodeField      = "DA1716" // a field that objects of a tenant may not have
	CodeStandard   = "DA1717" // a pod that the tenant's Pod Security Standard refuses
	CodeLimits     = "DA1718" // a limit above the quota of a locked tenant
	CodeAccount    = "DA1719" // an annotation of a service account that policy does not allow
	CodeUnpinned   = "DA1720" // a reference to what is outside the fleet repo and not pinned
	CodeUnreached  = "DA1721" // a host to fetch from that policy does not allow
	CodeAbsent     = "DA1722" // what is pinned is not at hand
	CodeAdoption   = "DA1725" // an object to adopt that the application does not render
	CodeChart      = "DA1726" // a chart that is not read
	CodeTemplate   = "DA1727" // a chart that does not render
	CodeChance     = "DA1728" // a chart that comes out differently each time
	CodeHook       = "DA1729" // a hook of a chart
	CodeSecret     = "DA1730" // a Secret that a chart makes
	CodePatch      = "DA1731" // a patch of an object that cannot be carried out
	CodeOwned      = "DA1732" // a patch of what is not the owner's
	CodeExisting   = "DA1733" // an object of others that policy does not allow to name
	CodeRight      = "DA1734" // a right on the API server that policy does not allow
	CodeClass      = "DA1735" // a runtime class that policy does not allow
	CodeHost       = "DA1736" // a process of a Windows node that policy does not allow
	CodeReach      = "DA1737" // a right on the whole cluster that policy does not allow
	// The code after CodeSize refused workflows while nothing carried them out; codes are not used again.
)

// Fault is an error inside the declaration of one component.
type Fault struct {
	Code    string
	Path    string // inside the component: properties.image
	Message string
	Limit   string // what it goes against: policy.kinds, or resources.requests.cpu of the component; "" without one
}

func (f *Fault) Error() string { return f.Code + " " + f.Path + ": " + f.Message }

// Faultf returns a Fault.
func Faultf(code, path, format string, args ...any) error {
	return Against("", code, path, format, args...)
}

// Against returns a Fault that goes against a limit which somebody wrote.
func Against(limit, code, path, format string, args ...any) error {
	return &Fault{Code: code, Path: path, Message: fmt.Sprintf(format, args...), Limit: limit}
}

// List joins words for a message.
func List(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

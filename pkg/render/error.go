package render

import (
	"errors"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
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
	CodeAdoption   = "DA1725" // an object to adopt that the application does not render
	// DA1715 refused workflows while nothing carried them out; codes are not used again
)

// Error is an error in the declaration of an application. The same input fails again.
type Error struct {
	Problems []model.Problem // in the order of components, at least one
}

// Error returns the problems, a line each.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Code + " " + p.Path + ": " + p.Message
	}
	return strings.Join(lines, "\n")
}

// fault is an error inside one component.
type fault struct {
	code    string
	path    string // inside the component: properties.image
	message string
}

func (f *fault) Error() string { return f.code + " " + f.path + ": " + f.message }

func faultf(code, path, format string, args ...any) error {
	return &fault{code: code, path: path, message: fmt.Sprintf(format, args...)}
}

// problem returns err as a problem of a component.
func problem(app *model.Application, component string, err error) model.Problem {
	f := &fault{code: CodeUnreadable, message: err.Error()}
	errors.As(err, &f)
	path := "components." + component
	if f.path != "" {
		path += "." + f.path
	}
	return model.Problem{
		Code: f.code, Path: "application." + path, Message: f.message,
		Places: places(app.At, path), Tenant: app.ID.Tenant, App: app.ID.Name,
	}
}

// places returns the place of the value at path, or of the nearest value above it.
func places(at model.Positions, path string) []model.Place {
	for path != "" {
		if where, ok := at[path]; ok {
			return []model.Place{{At: where}}
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return nil
}

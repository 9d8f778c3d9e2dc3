package render

import (
	"errors"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
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

// problem returns err as a problem of a component.
func problem(app *model.Application, component string, err error) model.Problem {
	f := &declared.Fault{Code: declared.CodeUnreadable, Message: err.Error()}
	errors.As(err, &f)
	path := "components." + component
	if f.Path != "" {
		path += "." + f.Path
	}
	return model.Problem{
		Code: f.Code, Path: "application." + path, Message: f.Message,
		Places: append(places(app.At, path), against(app, component, f.Limit)...), Tenant: app.ID.Tenant, App: app.ID.Name,
	}
}

// against returns the place of what a component goes against: a value of policy, or one of its own.
func against(app *model.Application, component, limit string) []model.Place {
	if path, ok := strings.CutPrefix(limit, "policy."); ok {
		if v, ok := model.Find(app.InForce, path); ok && v.At != "" {
			return []model.Place{{At: v.At, Note: v.Layer + "." + limit + ": " + v.Value}}
		}
		return nil
	}
	if at, ok := app.At["components."+component+"."+limit]; ok {
		return []model.Place{{At: at, Note: "application.components." + component + "." + limit}}
	}
	return nil
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

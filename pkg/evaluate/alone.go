package evaluate

import (
	"io/fs"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Application evaluates one application of a commit under the layers of that commit. The
// spec is nil if the commit declares none that is valid; invalid reports whether it
// declares one. Final is false if a file could not be read or an evaluation did not end.
func (e *Evaluator) Application(app model.AppID, commit string, at func(commit string) (Files, error)) (spec *model.Application, invalid, final bool) {
	files, err := at(commit)
	if err != nil {
		return nil, false, false
	}
	alone := Through(e.backend)
	fleet := alone.Fleet(commit, only{files, app}, at)
	if i := slices.IndexFunc(fleet.Applications, func(a *model.Application) bool { return a.ID == app }); i >= 0 {
		spec = fleet.Applications[i]
	}
	return spec, len(fleet.Unusable) > 0, alone.Settled()
}

// only is a tree of files without the directories of other tenants and applications.
type only struct {
	Files
	app model.AppID
}

// ReadDir lists a directory.
func (o only) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(o.Files, name)
	keep := ""
	switch name {
	case "tenants":
		keep = o.app.Tenant
	case path.Join(layer.TenantDir(o.app.Tenant), "apps"):
		keep = o.app.Name
	default:
		return list, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(e fs.DirEntry) bool { return e.Name() != keep }), err
}

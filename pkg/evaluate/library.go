package evaluate

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// maxLibrary bounds the packages that one application imports, in bytes.
const maxLibrary = 256 << 10

// inputs identifies the files that an application is evaluated from: its directory, and the
// library of its tenant with the name of the module, if there is a library. A pinned application has
// the library of its commit.
func inputs(files Files, app model.AppID) (string, error) {
	own, err := files.Digest(layer.ApplicationDir(app))
	if err != nil {
		return "", err
	}
	library, err := digestOrNone(files, layer.LibraryDir(app.Tenant))
	if err != nil || library == "" {
		return own, err
	}
	module, err := digestOrNone(files, layer.ModuleFile)
	return string(model.DigestOf([]string{own, library, module})), err
}

// digestOrNone returns the digest of a file or a directory, "" if there is none.
func digestOrNone(files Files, name string) (string, error) {
	digest, err := files.Digest(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return digest, err
}

// read fills in the CUE files of a directory and, of that of an application, what they import.
func (r *request) read(files Files, dir string) (problems []model.Problem, err error) {
	names, problems, err := layer.List(files, dir)
	if err == nil && len(problems) == 0 {
		r.Files, problems, err = layer.Read(files, names)
	}
	if err == nil && len(problems) == 0 && r.Name != "" {
		problems, err = r.imported(files)
	}
	return problems, err
}

// imported fills in the packages that the files of an application import, with the file that
// names the module.
func (r *request) imported(files Files) (problems []model.Problem, err error) {
	dirs := layer.ImportedBy(r.Tenant, r.Files)
	if len(dirs) == 0 {
		return nil, nil
	}
	if _, err := fs.Stat(files, layer.ModuleFile); err == nil {
		if r.Library, problems, err = layer.Read(files, []string{layer.ModuleFile}); err != nil || problems != nil {
			return problems, err
		}
	}
	total := 0
	for _, dir := range dirs {
		names, bad, err := layer.List(files, dir)
		if err != nil || bad != nil {
			return bad, err
		}
		sources, bad, err := layer.Read(files, names)
		if err != nil || bad != nil {
			return bad, err
		}
		for _, s := range sources {
			total += len(s.Data)
		}
		if total > maxLibrary {
			return []model.Problem{layer.WholeFile(catalogue.LargeLibrary, layer.ApplicationDir(model.AppID{Tenant: r.Tenant, Name: r.Name}),
				fmt.Sprintf("imports packages of more than %d KiB together", maxLibrary>>10))}, nil
		}
		r.Library = append(r.Library, sources...)
	}
	return nil, nil
}

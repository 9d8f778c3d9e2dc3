package layer

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
)

// A PinEdit is one file of a tenant in which a pin changed. Everything else in the
// file stays as people wrote it.
type PinEdit struct {
	File string
	Data []byte
	Was  string // the commit that the application was pinned to, "" if to none
}

// Pin pins an application to a commit, in the file that has a pin of it, or one with
// other pins, or the one with the name of the tenant, in this order.
func Pin(files fs.FS, app model.AppID, commit string) (PinEdit, error) {
	return repin(files, app, cuefile.Edit{Path: append(pinPath(app), "commit"), Op: cuefile.Set, Value: commit})
}

// Unpin removes the pin of an application. Without a pin the edit names no file.
func Unpin(files fs.FS, app model.AppID) (PinEdit, error) {
	return repin(files, app, cuefile.Edit{Path: pinPath(app), Op: cuefile.Unset})
}

func pinPath(app model.AppID) []string { return []string{"tenant", "releases", app.Name} }

func repin(files fs.FS, app model.AppID, edit cuefile.Edit) (out PinEdit, err error) {
	dir := TenantDir(app.Tenant)
	blobs, err := ReadAll(files, dir)
	if err == nil && len(blobs) == 0 {
		err = fmt.Errorf("%s has no CUE file that could hold a pin", dir)
	}
	if err != nil {
		return out, err
	}
	var before []cuefile.File
	for _, b := range blobs {
		before = append(before, cuefile.File(b))
		places, err := cuefile.Index(cuefile.File(b))
		if err != nil {
			return out, err
		}
		for _, p := range places {
			if commit, ok := p.Value().(string); ok && slices.Equal(p.Path, append(pinPath(app), "commit")) {
				out.Was, out.File, out.Data = commit, b.Name, b.Data
			}
		}
	}
	after, err := cuefile.Apply(before, edit)
	switch {
	case err != nil:
		return out, err
	case len(after) > 1:
		return out, fmt.Errorf("the pin of %s stands in %s and in %s; leave one of them", app, after[0].Name, after[1].Name)
	case len(after) == 1:
		out.File, out.Data = after[0].Name, after[0].Data
	case edit.Op == cuefile.Unset:
		out.File, out.Data = "", nil
	}
	return out, nil
}

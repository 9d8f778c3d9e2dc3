package layer

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// A Source is a CUE file.
type Source struct {
	Name string // its path in the repo
	Data []byte
}

// Caps on the files of one evaluation. Files that people write are far smaller.
const (
	maxFile      = 256 << 10 // bytes of one file
	maxDirectory = 256 << 10 // bytes of the CUE files of one directory
	maxRoot      = 512 << 10 // bytes of those at the root, which have the allotments of all tenants
	maxFiles     = 100       // CUE files of one directory
)

// List lists the CUE files of a directory in order of their names, with the problems of
// some of them.
func List(files fs.FS, dir string) (names []string, problems []model.Problem, err error) {
	entries, err := fs.ReadDir(files, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", dir, err)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case path.Ext(name) != ".cue" || e.IsDir():
		case !e.Type().IsRegular():
			problems = append(problems, WholeFile(catalogue.File, name, "is no regular file; links are not followed"))
		case strings.HasPrefix(e.Name(), "_"), strings.HasPrefix(e.Name(), "."),
			strings.HasSuffix(name, "_tool.cue"), strings.HasSuffix(name, "_test.cue"):
			problems = append(problems, WholeFile(catalogue.File, name, "is not read by the cue command; choose another name"))
		default:
			names = append(names, name)
		}
	}
	if len(names) > maxFiles {
		problems = append(problems, WholeFile(catalogue.Size, dir, fmt.Sprintf("has %d CUE files; at most %d are read", len(names), maxFiles)))
	}
	return names, problems, nil
}

// ListLayer is List for a layer. It also blames the layer for CUE files between it and
// what is in the directories below: CUE applies them to all of these, so their
// authors rely on them, and only people who may write the layer can write them.
func ListLayer(files fs.FS, dir string, below ...string) (names []string, problems []model.Problem, err error) {
	names, problems, err = List(files, dir)
	for _, below := range below {
		entries, _ := fs.ReadDir(files, below) // listing what is in it reports the error
		for _, e := range entries {
			if !e.IsDir() && path.Ext(e.Name()) == ".cue" {
				problems = append(problems, WholeFile(catalogue.Between, path.Join(below, e.Name()), "lies between the layers, where no file is read; move it to the layer that it speaks for"))
			}
		}
	}
	return names, problems, err
}

// ListTenant is ListLayer for a tenant.
func ListTenant(files fs.FS, tenant string) (names []string, problems []model.Problem, err error) {
	return ListLayer(files, TenantDir(tenant), path.Join(TenantDir(tenant), "apps"), LibraryDir(tenant))
}

// Read reads the named files of one directory within the caps: 256 KiB together, and
// 512 KiB at the root of the repo.
func Read(files fs.FS, names []string) (blobs []Source, problems []model.Problem, err error) {
	total, most := 0, maxDirectory
	for _, name := range names {
		if path.Dir(name) == "." {
			most = maxRoot
		}
		info, err := fs.Stat(files, name)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		total += int(min(info.Size(), maxRoot+1))
		if info.Size() > maxFile || total > most {
			problems = append(problems, WholeFile(catalogue.Size, name, fmt.Sprintf("is too large; the CUE files of a directory have at most %d KiB together, a file at most %d KiB", most>>10, maxFile>>10)))
			return nil, problems, nil
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		blobs = append(blobs, Source{name, data})
	}
	return blobs, nil, nil
}

// ReadAll reads the CUE files of a directory. The first problem of one of them is the error.
func ReadAll(files fs.FS, dir string) ([]Source, error) {
	names, problems, err := List(files, dir)
	if err != nil {
		return nil, err
	}
	sources, more, err := Read(files, names)
	if problems = append(problems, more...); err == nil && len(problems) > 0 {
		err = errors.New(problems[0].String())
	}
	return sources, err
}

// WholeFile is a problem with a file or a directory.
func WholeFile(code, name, message string) model.Problem {
	return model.Problem{Code: code, Message: name + " " + message, Places: []model.Place{{At: name + ":1:1"}}}
}

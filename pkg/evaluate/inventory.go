package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// maxBeside bounds the files beside the CUE files of one application's directory.
const maxBeside = 2000

// directories lists the directories below dir whose names can name a tenant or
// an application.
func directories(files fs.FS, dir string) (names []string, problems []model.Problem, err error) {
	entries, err := fs.ReadDir(files, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", dir, err)
	}
	for _, e := range entries {
		switch {
		case e.IsDir() && model.ValidName(e.Name()):
			names = append(names, e.Name())
		case e.IsDir():
			problems = append(problems, layer.WholeFile(catalogue.Directory, path.Join(dir, e.Name()),
				"is no name: at most 63 lower-case letters, digits and dashes, beginning with a letter; nothing in it is read"))
		case !e.Type().IsRegular():
			problems = append(problems, layer.WholeFile(catalogue.File, path.Join(dir, e.Name()), "is neither file nor directory; links are not followed"))
		}
	}
	return names, problems, nil
}

// encryptedFile is how files are named that SOPS encrypted.
var encryptedFile = regexp.MustCompile(`\.enc\.(yaml|yml|json|env)$`)

// beside fills in the paths of the files in an application's directory beside its CUE
// files, with one digest of them all. It skips links: no reader follows them, and the tree
// of a commit does not have their content.
func (r *request) beside(files Files, dir string) error {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return fmt.Errorf("read %s: %w", dir, err)
	}
	var parts []string
	for _, e := range entries {
		if !e.IsDir() && (path.Ext(e.Name()) == ".cue" || !e.Type().IsRegular()) {
			continue
		}
		digest, err := files.Digest(path.Join(dir, e.Name()))
		if err != nil {
			return fmt.Errorf("read %s: %w", path.Join(dir, e.Name()), err)
		}
		parts = append(parts, e.Name(), digest)
		err = fs.WalkDir(files, path.Join(dir, e.Name()), func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return fmt.Errorf("read %s: %w", name, err)
			}
			if len(r.Rest) == maxBeside {
				return fs.SkipAll
			}
			if !e.Type().IsRegular() {
				return nil
			}
			short := strings.TrimPrefix(name, dir+"/")
			r.Rest = append(r.Rest, short)
			if encryptedFile.MatchString(name) {
				digest, err := files.Digest(name)
				if err != nil {
					return fmt.Errorf("read %s: %w", name, err)
				}
				if r.Encrypted == nil {
					r.Encrypted = map[string]model.Digest{}
				}
				r.Encrypted[short] = model.DigestOf(digest)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if parts != nil {
		r.Source = model.DigestOf(parts)
	}
	return nil
}

// digests identifies the named files together.
func digests(files Files, names []string) (string, error) {
	var all []string
	for _, name := range names {
		d, err := files.Digest(name)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", name, err)
		}
		all = append(all, name, d)
	}
	return string(model.DigestOf(all)), nil
}

// byPlace orders problems by file and line.
func byPlace(problems []model.Problem) {
	place := func(p model.Problem) (file string, line, column int) {
		if len(p.Places) > 0 {
			parts := append(strings.SplitN(p.Places[0].At, ":", 3), "", "")
			file = parts[0]
			line, _ = strconv.Atoi(parts[1])
			column, _ = strconv.Atoi(parts[2])
		}
		return file, line, column
	}
	slices.SortStableFunc(problems, func(a, b model.Problem) int {
		af, al, ac := place(a)
		bf, bl, bc := place(b)
		return cmp.Or(cmp.Compare(af, bf), cmp.Compare(al, bl), cmp.Compare(ac, bc),
			cmp.Compare(a.Code+a.Path+a.Message, b.Code+b.Path+b.Message))
	})
}

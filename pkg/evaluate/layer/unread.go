package layer

import (
	"fmt"
	"io/fs"
	"path"

	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// Unread blames the files of package fleet among some below a directory that are in no directory of a
// layer. CUE takes each for a layer below, which nobody evaluates, so its author relies on what never holds.
// CUE files of other packages are of no concern here. It looks through 1 MiB at most: what nobody
// reads is to cost nobody time.
func Unread(files fs.FS, dir string, names []string) (problems []model.Problem, err error) {
	var looked int64
	for _, short := range names {
		if path.Ext(short) != ".cue" {
			continue
		}
		name := path.Join(dir, short)
		info, err := fs.Stat(files, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if looked += info.Size(); looked > 1<<20 {
			break
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		f, err := parser.ParseFile(name, data, parser.PackageClauseOnly)
		if err != nil || f.PackageName() != "fleet" {
			continue
		}
		if problems = append(problems, WholeFile(catalogue.Between, name, "lies in a directory of no layer, where no file of the fleet is read; move it into one, or give it another package")); len(problems) == maxFiles {
			break
		}
	}
	return problems, nil
}

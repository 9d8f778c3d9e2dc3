package evaluate

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// unreadAtRoot reports files of the fleet in directories that are no layer's, such as
// apps/shop/app.cue without a tenant. They stop nothing: what is read holds without them.
func (p *pass) unreadAtRoot() {
	for _, dir := range p.foreign(".", "tenants", "approvals", "cue.mod") {
		p.report("", "", p.unreadBelow(dir)...)
	}
}

// unreadOf returns such problems of a tenant's directory.
func (p *pass) unreadOf(tenant string) (problems []model.Problem) {
	for _, dir := range p.foreign(layer.TenantDir(tenant), "apps", "lib") {
		problems = append(problems, p.unreadBelow(dir)...)
	}
	return problems
}

// foreign lists the directories in one that are not known. CUE passes over those that begin with
// a dot or _.
func (p *pass) foreign(dir string, known ...string) (dirs []string) {
	entries, _ := fs.ReadDir(p.files, dir) // whoever needs it reports the error
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(known, e.Name()) && !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "_") {
			dirs = append(dirs, path.Join(dir, e.Name()))
		}
	}
	return dirs
}

// unreadBelow returns the problems of the files below a directory that nobody reads.
func (p *pass) unreadBelow(dir string) []model.Problem {
	var names []string
	err := fs.WalkDir(p.files, dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || len(names) == maxBeside {
			return err
		}
		if e.Type().IsRegular() {
			names = append(names, strings.TrimPrefix(name, dir+"/"))
		}
		return nil
	})
	problems, readErr := layer.Unread(p.files, dir, names)
	if err != nil || readErr != nil {
		p.unsure = true
	}
	return problems
}

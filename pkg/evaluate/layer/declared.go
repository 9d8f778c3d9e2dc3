package layer

import (
	"slices"

	"cuelang.org/go/cue"

	"github.com/d-aros/d-aros/pkg/model"
)

// Declared returns the value of the files of an application as its owners think of it: with the defaults of the schema and of
// the policy, and with the names of definitions, not with what they come to (then without the defaults of the policy). It is
// nil if the schema refuses the files.
func Declared(app model.AppID, files, library []Source, policy []byte, f Form) []byte {
	own, trees, packages, problems := withLibrary(files, library)
	if problems != nil {
		return nil
	}
	if expanded, _, _, _ := expand(app, policy, &own, slices.Concat(trees, packages.trees()), f.known); expanded != nil {
		doc, _, _ := own.export("", []*Layer{&own}, func(files []Source) (cue.Value, error) {
			return buildValue(ApplicationDir(app), files, schemaFiles(), own.Library...)
		})
		return doc
	}
	own, trees, _, _ = withLibrary(files, library)
	doc, ok := f.fill(policy, trees)
	if !ok {
		doc, _ = underPolicy(ApplicationDir(app), policy, &own)
	}
	return doc
}

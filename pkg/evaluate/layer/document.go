package layer

import (
	"path"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/d-aros/d-aros/pkg/model"
)

// A Document is the value of the files of one directory, or their problems.
type Document struct {
	Layer     Layer
	JSON      []byte          // the value of the layer's field; nil if the schema refuses it
	Problems  []model.Problem // at most 50 of the schema
	Effective []byte          // of a platform or tenant: the policy in force after it
	Above     Above           // of a platform: what its tenants are evaluated under
	Policy    []byte          // of a tenant: the policy that its applications are evaluated under

	// Withdrawn has the problems of definitions of a platform or tenant that stands without them.
	Withdrawn []model.Problem

	// Defined is the definition that a component of an application uses, by component.
	Defined map[string]string
	// Health is what that says of what is live, by component: a source for Health.
	Health map[string]string
}

// Platform evaluates the files at the root of a repo.
func Platform(files []Source) (d Document) {
	if d.Layer, _, d.Problems = parse("platform", files); d.Problems != nil {
		return d
	}
	above := d.standing("the platform", func() {
		d.JSON, d.Effective, d.Problems = d.Layer.export("_effective", []*Layer{&d.Layer}, func(files []Source) (cue.Value, error) {
			return buildValue(".", files, schemaFiles())
		})
	})
	if d.Problems == nil {
		d.Above = aboveTenants(&d, above)
	}
	return d
}

// Tenant evaluates the files of a tenant under a valid platform.
func Tenant(name string, files []Source, above *Above) (d Document) {
	if d.Layer, d.Problems = Parse("tenant", files); d.Problems != nil {
		return d
	}
	own := d.standing("tenant "+name, func() {
		d.JSON, d.Effective, d.Problems = underPlatform(name, above, &d.Layer)
	})
	if d.Problems == nil {
		d.Policy = withDefinitions(Canonical(d.Effective), above.Definitions.with(own))
	}
	return d
}

// standing evaluates a layer and returns its definitions. Those with problems of their own
// are withdrawn if the layer stands without them.
func (d *Document) standing(owner string, evaluate func()) (all Definitions) {
	for {
		text := ""
		if d.Problems = withoutSample(&d.Layer); d.Problems == nil {
			evaluate()
		}
		if d.Problems == nil {
			text, d.Problems = definitionsOf(&d.Layer)
		}
		if d.Problems == nil && text != "" {
			all.Health, d.Problems = healthsOf(&d.Layer, text)
		}
		rest, bad := withdraw(d.Layer.Field, d.Layer.Files, d.Problems)
		if rest == nil {
			if d.Withdrawn != nil && d.Problems != nil { // the layer cannot do without them
				d.Problems, d.Withdrawn = d.Withdrawn, nil
			}
			if text != "" {
				all.Texts = []string{text}
			}
			return all
		}
		d.Layer.Files, d.Withdrawn = rest, append(d.Withdrawn, d.Problems...)
		if all.Withdrawn == nil {
			all.Withdrawn = map[string]string{}
		}
		for definition := range bad {
			all.Withdrawn[definition] = owner
		}
	}
}

// Application evaluates the files of an application under the policy of its tenant:
// Document.Policy. Of the library, with the file that names the module, it reads the
// packages that the files import. The form is that of applications or zero.
func Application(app model.AppID, files, library []Source, policy []byte, f Form) (d Document) {
	own, trees, packages, problems := withLibrary(files, library)
	if d = (Document{Layer: own, Problems: problems}); problems != nil {
		return d
	}
	var expanded []Source
	if expanded, d.Defined, d.Health, d.Problems = expand(app, policy, &d.Layer, slices.Concat(trees, packages.trees()), f.known); d.Problems != nil {
		return d
	}
	if expanded != nil {
		own.Files = expanded
		if _, trees, d.Problems = parse("application", expanded); d.Problems != nil {
			return d
		}
	}
	ok := false
	if d.JSON, ok = f.fill(policy, trees); !ok {
		d.JSON, d.Problems = underPolicy(ApplicationDir(app), policy, &own)
		d.Problems = saysWithdrawn(saysDefinition(d.Problems, d.Defined, &own), policy)
	}
	return d
}

// withLibrary parses the files of an application, and of the library what they import.
func withLibrary(files, library []Source) (own Layer, trees []*ast.File, packages packaged, problems []model.Problem) {
	own, trees, problems = parse("application", files)
	if problems != nil {
		return own, nil, nil, problems
	}
	packages, problems = importsOf(trees, library)
	if problems == nil && len(packages) > 0 {
		own.Library, own.Where = library, index{}
		for _, tree := range trees {
			own.Where.add(tree, packages.named(tree))
		}
	}
	return own, trees, packages, problems
}

// Approval evaluates one file of approvals/<tenant>/<application>, or of removals in place
// of the application, by itself, so that its problems do not affect the decisions in other
// files. Field is approval or removal.
func Approval(field string, file Source) (d Document) {
	own, trees, problems := parse(field, []Source{file})
	for _, tree := range trees {
		problems = append(problems, writtenOut(tree)...)
	}
	if d = (Document{Layer: own, Problems: problems}); problems != nil {
		return d
	}
	d.JSON, _, d.Problems = d.Layer.export("", []*Layer{&d.Layer}, func(files []Source) (cue.Value, error) {
		return buildValue(path.Dir(file.Name), append([]Source{bindApproval}, files...), schemaOfApproval())
	})
	return d
}

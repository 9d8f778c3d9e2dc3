package layer

import (
	"fmt"
	"path"
	"slices"

	"cuelang.org/go/cue"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

// underPlatform exports a tenant under its allotment and the policy in force for it, and
// the policy in force after it. As with applications, the files of the platform have no
// other effect.
func underPlatform(tenant string, above *Above, own *Layer) (doc, effective []byte, problems []model.Problem) {
	allotment, lacks := above.of(tenant)
	under := fmt.Appendf(nil, "package schema\n\n#Under: tenant: {#Tenant, _platform: %s, _allotment: %s, _lacks: %q}\n", above.Policy, allotment, lacks)
	return own.export("_effective", []*Layer{&above.Layer, own}, func(files []Source) (cue.Value, error) {
		return buildValue(TenantDir(tenant), append([]Source{bindUnder}, files...), append(schemaFiles("fleet.cue"), Source{"fleet.cue", under}))
	})
}

// underPolicy exports an application under the policy in force for its tenant.
// The files of the layers above have no other effect, because lint refuses
// references to them and fields of other layers. So they need not be evaluated again.
func underPolicy(dir string, policy []byte, own *Layer) (doc []byte, problems []model.Problem) {
	doc, _, problems = own.export("", []*Layer{own}, func(files []Source) (cue.Value, error) {
		return buildValue(dir, append([]Source{bindUnder}, files...), schemaUnder(policy), own.Library...)
	})
	return doc, problems
}

// bindUnder stands in for the files of the layers above a tenant or an application.
var bindUnder = Source{"fleet.cue", []byte("package fleet\n\nimport \"" + schema.ImportPath + "\"\n\nschema.#Under\n")}

// schemaUnder returns the part of the schema about applications, bound to a policy.
func schemaUnder(policy []byte) []Source {
	under := fmt.Appendf(nil, "package schema\n\n#Under: application: {#Application, _policy: %s}\n", policy)
	return append(schemaFiles("fleet.cue", "platform.cue", "tenant.cue", "policy.cue", "access.cue", "groups.cue", "definitions.cue", "approval.cue", "layers_policy.cue"), Source{"policy.cue", under})
}

// export returns the layer's field of the value that build makes of its files, or its
// problems.
func (l *Layer) export(hidden string, layers []*Layer, build func(files []Source) (cue.Value, error)) (doc, extra []byte, problems []model.Problem) {
	v, err := build(l.Files)
	if err == nil {
		doc, extra, err = export(v, l.Field, hidden)
	}
	if err != nil {
		return nil, nil, l.further(explain(err, v, layers...), build, layers)
	}
	if doc == nil {
		return nil, nil, []model.Problem{l.Blame(catalogue.Required, l.Field, "must be written")}
	}
	return doc, extra, nil
}

// bindApproval stands in for the file at the root of the repo.
var bindApproval = Source{"fleet.cue", []byte("package fleet\n\nimport \"" + schema.ImportPath + "\"\n\nschema.#Decided\n")}

// schemaOfApproval returns the part of the schema about approvals.
func schemaOfApproval() []Source {
	out := slices.DeleteFunc(schemaFiles(), func(f Source) bool { return !slices.Contains([]string{"approval.cue", "words.cue"}, path.Base(f.Name)) })
	return append(out, Source{schema.ImportPath + "/decided.cue", []byte("package schema\n\n#Decided: {approval?: {#Approvals}, removal?: #Removals}\n")})
}

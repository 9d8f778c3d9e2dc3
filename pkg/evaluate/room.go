package evaluate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// shownRefused is how many of the applications that are too many a sentence names.
const shownRefused = 5

// within returns those of a tenant's applications that its quota has room for, by name, and
// refuses the others in one sentence. It looks at the names of directories only: what is
// too much costs no more than a listing. What has a place in the ledger goes on in any case,
// as quota takes it from nobody; then come the other records, the oldest first, then names.
func (p *pass) within(t *part, names []string) []string {
	most, at := p.most(t)
	if most == 0 || len(names) <= most {
		return names
	}
	known := map[string]*model.Instance{}
	placed := 0
	for _, name := range names {
		if inst, ok := p.e.known.Find(model.AppID{Tenant: t.name, Name: name}); ok {
			known[name] = inst
			if inst.Phase.Active() {
				placed++
			}
		}
	}
	first := slices.Clone(names)
	slices.SortStableFunc(first, func(a, b string) int { return earlier(known[a], known[b]) })
	goOn := first[:max(most, placed)]
	slices.Sort(goOn)
	refused := first[len(goOn):]
	if len(refused) == 0 {
		return goOn
	}
	slices.Sort(refused)
	dir := path.Join(layer.TenantDir(t.name), "apps")
	problem := layer.WholeFile(catalogue.TooMany, path.Join(dir, refused[0]), fmt.Sprintf(
		"is one too many: tenant %s has %d applications and may have %d; not evaluated, and kept as last accepted: %s",
		t.name, len(names), most, text.Enumerate(refused, shownRefused)))
	problem.Places = append(problem.Places, at)
	t.report("", problem)
	for _, name := range refused {
		t.refuse(model.AppID{Tenant: t.name, Name: name}, problem)
	}
	t.key = partKey{} // the ledger decides, too
	return goOn
}

// earlier orders what the ledger has of two applications, nil for nothing: which goes first.
func earlier(a, b *model.Instance) int {
	rank := func(inst *model.Instance) int {
		switch {
		case inst == nil:
			return 2
		case inst.Phase.Active():
			return 0
		}
		return 1
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 || a == nil || a.Phase.Active() {
		return c
	}
	return a.Declared.Compare(b.Declared)
}

// most returns how many applications a tenant may have, 0 for any number, and where that is
// written. While the tenant's own files are not valid, its allotment counts.
func (p *pass) most(t *part) (n int, at model.Place) {
	var where string
	if tenant := t.layer.result.Tenant; tenant != nil {
		n, where = tenant.MaxApplications, tenant.At["quota.applications"]
	} else {
		above := p.platform.Above.For(t.name)
		n, where = decode.AllottedApplications(t.name, &above)
	}
	field := "platform.allotments." + t.name
	if strings.HasPrefix(where, layer.TenantDir(t.name)+"/") {
		field = "tenant"
	}
	return n, model.Place{At: where, Note: fmt.Sprintf("%s.quota.applications: %d", field, n)}
}

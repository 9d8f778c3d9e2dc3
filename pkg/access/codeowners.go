package access

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Codeowners writes a policy as the CODEOWNERS file of a Git host. Its owners of a
// path are the principals who may change the path, if their keys are valid. Git
// hosts use the last line that matches, so every line repeats the owners above it.
func Codeowners(p *Policy) []byte {
	var b bytes.Buffer
	b.WriteString("# Written by D-AROS from the access of the fleet repo; do not edit.\n")
	p.line(&b, "*", area{})
	for _, a := range p.areas() {
		if a.app.Name == "" {
			fmt.Fprintf(&b, "\n")
			p.line(&b, "/"+tenantsDir+"/"+a.app.Tenant+"/", a)
			p.line(&b, "/"+approvalsDir+"/"+a.app.Tenant+"/", a)
			continue
		}
		p.line(&b, "/"+tenantsDir+"/"+a.app.Tenant+"/apps/"+a.app.Name+"/", a)
		if a.app.Name != model.RemovalsDir {
			p.line(&b, "/"+approvalsDir+"/"+a.app.Tenant+"/"+a.app.Name+"/", a)
		}
	}
	return b.Bytes()
}

// line writes who owns a pattern.
func (p *Policy) line(b *bytes.Buffer, pattern string, a area) {
	owners := p.handles(func(h *holder) bool { return h.may(a) })
	if len(owners) == 0 && a != (area{}) {
		return
	}
	b.WriteString(strings.TrimRight(pattern+" "+strings.Join(owners, " "), " ") + "\n")
}

// handles lists those of some holders whose keys are not revoked, sorted.
func (p *Policy) handles(of func(*holder) bool) []string {
	list := []string{}
	for i := range p.holders {
		if h := &p.holders[i]; of(h) && !h.Revoked {
			list = append(list, cmp.Or(h.Handle, "@"+h.Name))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// areas lists the areas below the platform that have a holder, by name: each tenant
// before its applications.
func (p *Policy) areas() (all []area) {
	for i := range p.holders {
		for _, a := range p.holders[i].areas {
			if a.app.Tenant == "" {
				continue
			}
			tenant := a
			tenant.app.Name = ""
			all = append(all, a, tenant)
		}
	}
	slices.SortFunc(all, func(x, y area) int { return x.app.Compare(y.app) })
	return slices.Compact(all)
}

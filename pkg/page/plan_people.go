package page

import (
	"cmp"
	"strings"

	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
)

// Bounds of the lists about people and tenants in a comment.
const (
	maxTouched   = 50
	maxWaiting   = 10
	maxApprovals = 30
)

// planTenants writes what the change costs each tenant, and what it leaves of its quota.
func (p *page) planTenants(list []plan.Touched, bytes int) {
	if len(list) == 0 {
		return
	}
	p.line("\n| tenant | per hour | headroom | owners |\n| --- | --- | --- | --- |")
	for i := range list {
		if i == maxTouched || p.b.Len() > bytes {
			p.line("\n… and %s more.", text.Count(len(list)-i, "tenant"))
			return
		}
		t := &list[i]
		var left []string
		for n := range t.Amounts {
			if a := &t.Amounts[n]; a.Differs() || a.After.Quota != nil {
				left = append(left, a.Resource+" "+a.Headroom())
			}
		}
		p.line("| %s | %s | %s | %s |", escape(t.Tenant), escape(t.Price.Text()), escape(cmp.Or(strings.Join(left, ", "), "no quota")), escape(cmp.Or(text.Enumerate(t.Owners, 8), "–")))
	}
}

// planWaits writes who waits after the change.
func (p *page) planWaits(w *plan.Waits, bytes int) {
	if w.Total == 0 {
		return
	}
	p.line("\n#### Who waits\n")
	for i := range w.First {
		if i == maxWaiting || p.b.Len() > bytes {
			break
		}
		p.line("- %s: %s", p.to.application(w.First[i].App.String(), w.First[i].App), escape(w.First[i].String()))
	}
	if more := w.Total - min(len(w.First), maxWaiting); more > 0 {
		p.line("- … and %d more", more)
	}
}

// planApprovals writes who has to approve the change.
func (p *page) planApprovals(list []plan.Approval, commit string, bytes int) {
	if len(list) == 0 {
		return
	}
	p.line("\n#### Who approves\n")
	p.planItems(len(list), maxApprovals, bytes, func(i int) (string, []string) {
		return escape(list[i].String()) + "; first " + p.to.place(list[i].Path, commit), nil
	})
}

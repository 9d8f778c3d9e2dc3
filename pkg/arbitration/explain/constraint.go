package explain

import (
	"cmp"
	"fmt"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// constraint records a finding.
func constraint(f *solve.Finding) model.Constraint {
	k := model.Constraint{Name: f.Name, OK: f.OK, At: f.At,
		Asked: cmp.Or(f.Text[0], model.FormatAmount(f.Resource, f.Asked)), Limit: cmp.Or(f.Text[1], model.FormatAmount(f.Resource, f.Limit))}
	if f.Shared {
		k.Used = model.FormatAmount(f.Resource, f.Used)
	}
	if over := f.Used + f.Asked - f.Limit; !f.OK && over > 0 && f.Text[0] == "" {
		k.Short = model.FormatAmount(f.Resource, over)
	}
	return k
}

// shortConstraint records a shortage.
func (w *Writer) shortConstraint(s solve.Shortage) model.Constraint {
	k := model.Constraint{Name: w.shortName(s), Asked: fmt.Sprint(s.Asked), Limit: fmt.Sprint(s.Free)}
	switch {
	case s.Resource < 0:
		return k
	case s.Gang != nil:
		k.Limit, k.At = w.Amount(s.Resource, max(0, s.Free)), w.Fleet.Platform.At["pools."+w.Pools[s.Pool].Name]
	case s.Pool >= 0 && !s.Quota:
		q := w.Pools[s.Pool]
		k.Used, k.Limit = w.Amount(s.Resource, q.Used[s.Resource]), w.Amount(s.Resource, q.Offered[s.Resource])
		k.At = w.Fleet.Platform.At["pools."+q.Name]
	default:
		k.Limit = w.Amount(s.Resource, max(0, s.Free))
	}
	k.Asked, k.Short = w.Amount(s.Resource, s.Asked), w.Amount(s.Resource, s.Asked-max(0, s.Free))
	return k
}

// shortName names the constraint of a shortage.
func (w *Writer) shortName(s solve.Shortage) string {
	switch {
	case s.Resource < 0:
		return "free." + w.Pools[s.Pool].Name + ".domains"
	case s.Gang != nil:
		return "free." + w.Pools[s.Pool].Name + "." + s.Gang.Over + "." + w.Names[s.Resource]
	case s.Pool >= 0 && s.Quota:
		return w.Nodes[s.Node].Name + ".pools." + w.Pools[s.Pool].Name + "." + w.Names[s.Resource]
	case s.Pool >= 0:
		return "free." + w.Pools[s.Pool].Name + "." + w.Names[s.Resource]
	case s.Quota:
		return w.Nodes[s.Node].Name + ".quota." + w.Names[s.Resource]
	case s.Node > 0:
		return w.Nodes[s.Node].Name + ".borrow." + w.Names[s.Resource]
	}
	return "lend." + w.Names[s.Resource]
}

package status

import (
	"errors"

	"github.com/d-aros/d-aros/pkg/model"
)

// pastUse plans the file of past use, and the pages of tenants that tell something else of it. Format 1 has none: after
// the next upgrade it is learned anew.
func (p *plan) pastUse(next *model.Ledger) (err error) {
	use := next.PastUse
	if p.format.Major == 1 {
		use = nil
	}
	if p.ledger.PastUse, err = write(p, usageFile, p.base.ledger.PastUse, use); err != nil {
		return err
	}
	for i := range p.ledger.Tenants {
		name := p.ledger.Tenants[i].Name
		was, is := p.base.ledger.PastOf(name), p.ledger.PastOf(name)
		if (was == nil) != (is == nil) || was != nil && *was != *is {
			p.tenants[name] = true
		}
	}
	return nil
}

// pastUse reads past use. No decision hangs on it alone, so a record that cannot be read stops nothing: it is one that
// somebody changed, and is learned anew.
func (r *reader) pastUse(l *model.Ledger) error {
	if r.format.Major == 1 || r.same(usageFile) {
		return nil
	}
	l.PastUse = nil
	use := &model.PastUse{}
	found, err := r.read(usageFile, use)
	if damage := (*damageError)(nil); errors.As(err, &damage) {
		found, use, err = true, &model.PastUse{}, nil
	}
	if found {
		l.PastUse = use
	}
	return err
}

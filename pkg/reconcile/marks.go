package reconcile

import "github.com/d-aros/d-aros/pkg/model"

// marks remembers the marks of records. Making one takes longer than all else that
// a pass does for an instance of which nothing is new.
type marks map[model.AppID]marked

type marked struct {
	made record
	mark string
}

// record is what a mark is made of, by address: records never change, so what is
// at the same place is the same.
type record struct {
	number         int
	phase          model.Phase
	reason         model.Reason
	spec, previous *model.Application
	components     *model.ComponentState
	length         int
	run            *model.Run
	platform       *model.Platform
}

// of returns the mark of an instance.
func (m marks) of(inst *model.Instance, platform *model.Platform) string {
	r := record{
		number: inst.Number, phase: inst.Phase, reason: inst.Reason, spec: inst.Spec, previous: inst.Previous,
		length: len(inst.Components), run: inst.Run, platform: platform,
	}
	if r.length > 0 {
		r.components = &inst.Components[0]
	}
	known, ok := m[inst.App]
	if !ok || known.made != r {
		known = marked{r, instanceMark(inst, platform)}
		m[inst.App] = known
	}
	return known.mark
}

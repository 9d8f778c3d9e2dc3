package solve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// variant is what an application asks for in one of its flavours. All its components run in the flavour of one
// number, so that a gang is in one place.
type variant struct {
	flavour int
	levels  []Level
	claims  bool // others may give way for it: it asks for no more than the first one, of whose standing it is
}

// Variants are what an application asks for in those of its flavours that passed the gate, the first by which it stands;
// nil if it has none.
type Variants []variant

// Passed is a flavour that was not taken.
type Passed struct {
	Flavour  int
	Short    []Shortage
	Findings []Finding // of the gate, nil: it passed
}

// Refusal is the sentence of the gate.
func (p *Passed) Refusal() string { return refusal(p.Findings).Message }

// pass sends a spec through the gate in each of its flavours. It returns what the spec asks for in the first that
// passes, and what was found there; if none does, that of the first of all.
func (g gate) pass(app *App, spec *model.Application, surge []bool) (levels []Level, found []Finding, ok bool) {
	n := spec.OpenFlavours(app.Holds)
	app.flavour, app.Variants, app.Passed = 0, nil, nil
	for app.flavour = range n {
		l := g.LevelsOf(app, spec, surge)
		f, passes := g.check(app, spec, l)
		if passes && ok {
			f, passes = g.beside(app, l)
		}
		if !ok && (passes || levels == nil) {
			levels, found, ok = l, f, passes
		}
		switch {
		case n == 1:
		case passes:
			app.Variants = append(app.Variants, variant{app.flavour, l, fitWithin(l, levels)})
		default:
			app.Passed = append(app.Passed, Passed{app.flavour, nil, f})
		}
	}
	app.flavour = 0
	if len(app.Variants) > 0 {
		app.flavour = app.Variants[0].flavour
	}
	if !app.Incumbent() {
		g.standBy(app, spec, levels)
	}
	for _, v := range app.Variants {
		for k := 0; v.claims && k < len(levels); k++ {
			v.levels[k].lasts = levels[k].lasts
		}
	}
	return levels, found, ok
}

// standBy lets the levels of an application that waits for one of its flavours, or runs in it, stand, and count for fair shares, by the first one that has
// a place, whatever quotas leave of it, if that asks for no less: standings must not follow from which flavour it got and which of those that count
// against a quota run, or an application that gives way would stand better for it, take its place back, and so on.
func (g gate) standBy(app *App, spec *model.Application, levels []Level) {
	if spec.Flavours() == 0 {
		return
	}
	waiting := *app
	waiting.Holds = nil
	for waiting.flavour = range spec.OpenFlavours(nil) {
		first := g.LevelsOf(&waiting, spec, nil)
		if _, ok := g.each(ofPlaces, &waiting, spec, first); !ok {
			continue
		}
		if fitWithin(levels, first) {
			for l := range levels {
				levels[l].lasts = first[l].lasts
			}
		}
		return
	}
}

// standAsBefore does so for the accepted spec of an application that runs, and for a newer one.
func (g gate) standAsBefore(app *App) {
	if app.Spec != nil {
		g.standBy(app, app.Spec, app.Levels)
	}
	if app.Update != nil {
		g.standBy(app, app.Wanted, app.Update.levels)
	}
}

// beside checks another flavour against the quotas, together with those that passed before it: what the application may
// get in one of them counts.
func (g gate) beside(app *App, levels []Level) (found []Finding, ok bool) {
	both := levels[0]
	both.Total = app.Variants.Most(levels)
	return g.each([]check{checkQuota}, app, nil, []Level{both})
}

// fitWithin reports whether each level asks for no more than the other one.
func fitWithin(levels, others []Level) bool {
	for l := range levels {
		if !levels[l].lasts.Fits(others[l].lasts) {
			return false
		}
	}
	return true
}

// refusalOf combines the findings that are not met. Of an application that has flavours it says why none of them passes.
func refusalOf(spec *model.Application, passed []Passed, found []Finding) *model.Refusal {
	r := refusal(found)
	if len(passed) > 0 {
		var parts []string
		for _, p := range passed {
			parts = append(parts, fmt.Sprintf("in pool %s: %s", spec.FlavourPools(p.Flavour), p.Refusal()))
		}
		r.Message = strings.Join(parts, "; ")
	}
	return r
}

// enter makes the application ask for what it asks for in one of its flavours.
func (v Variants) enter(app *App, i int) {
	app.Levels, app.flavour = v[i].levels, v[i].flavour
}

// note tells the application which flavours come before the one that was found, or that none was, and why they are not
// taken.
func (f *found) note(app *App) {
	refused := slices.DeleteFunc(app.Passed, func(p Passed) bool { return p.Findings == nil })
	if app.Passed = append(refused, f.passed...); f.level >= 0 {
		app.Passed = slices.DeleteFunc(app.Passed, func(p Passed) bool { return p.Flavour > app.Variants[f.variant].flavour })
	}
	slices.SortFunc(app.Passed, func(x, y Passed) int { return cmp.Compare(x.Flavour, y.Flavour) })
}

// Lowest are the lowest levels in each of them, of an application that has these levels.
func (v Variants) Lowest(levels []Level) (lowest []*Level) {
	for i := range v {
		lowest = append(lowest, &v[i].levels[len(levels)-1])
	}
	if v == nil {
		lowest = append(lowest, &levels[len(levels)-1])
	}
	return lowest
}

// Most is the most of each resource that an application of these levels may get, in full: what counts against its quotas.
func (v Variants) Most(levels []Level) Vector {
	most := levels[0].Total
	for i := range v {
		most = most.atLeast(v[i].levels[0].Total)
	}
	return most
}

// Numbers are those of the flavours.
func (v Variants) Numbers() (flavours []int) {
	for i := range v {
		flavours = append(flavours, v[i].flavour)
	}
	return flavours
}

// AsksFor is the most of each resource that a spec asks for in one of its flavours.
func (b *Books) AsksFor(app *App, spec *model.Application) Vector {
	flavour := app.flavour
	defer func() { app.flavour = flavour }()
	most := b.Zero()
	for app.flavour = range spec.OpenFlavours(app.Holds) {
		most = most.atLeast(b.LevelsOf(app, spec, nil)[0].Total)
	}
	return most
}

// atLeast returns the larger amount of each resource.
func (v Vector) atLeast(w Vector) Vector {
	v = slices.Clone(v)
	for r, n := range w {
		v[r] = max(v[r], n)
	}
	return v
}

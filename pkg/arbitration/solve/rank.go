package solve

import "cmp"

// Rank is the place of a part in the list of all that runs, which every change makes larger; see doc.go. Parts rank as they
// stand, but of the same band within fair shares those come first before which their tenant lacks most of its fair share. Among
// them ranks one more part of each tenant: the first that exceeds its fair share, as what it lacks before that.
type Rank struct {
	Standing
	lacks Share
}

func (r Rank) Compare(o Rank) int {
	return cmp.Or(
		cmp.Compare(min(r.Class, WithinFairShare), min(o.Class, WithinFairShare)),
		cmp.Compare(r.Band, o.Band),
		cmp.Compare(o.lacks, r.lacks),
		r.Standing.Compare(o.Standing),
	)
}

// Rank is that of a part of an application.
func (t *Tree) Rank(app *App, l int) Rank {
	r, n := Rank{Standing: app.Standing[l]}, t.Nodes[app.Tenant]
	switch {
	case r.Class == WithinFairShare:
		r.lacks = n.FairShare - min(n.FairShare, app.before[l])
	case app.Update == nil && n.exceeds == excess{app, l}:
		r.lacks = n.FairShare - min(n.FairShare, n.within)
	}
	return r
}

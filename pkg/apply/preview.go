package apply

import (
	"context"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// Other is an object of the cluster that a set wants and that others made.
type Other struct {
	App model.AppID
	Ref
	Owner   string       // its name, for people
	Adopted bool         // the application takes it over; else it is refused
	Fields  []Difference // that are not as the set wants them, with the managers that hold them
}

// String says in one line what becomes of the object.
func (o *Other) String() string {
	does := "is refused: it belongs to "
	if o.Adopted {
		does = "is adopted from "
	}
	said := o.App.String() + ": " + o.Ref.String() + " " + does + o.Owner
	if fields := listFields(o.Fields, "held"); fields != "" {
		said += "; fields that differ: " + fields
	}
	return said
}

// Others reads what exists of the objects of sets, and returns what others made, in order.
// Sentences name the entries of application.adopt that take no object. It changes nothing.
func (a *Applier) Others(ctx context.Context, sets []render.Set) (others []Other, unmatchedEntries []string, err error) {
	type looked struct {
		others  []Other
		missing []string
	}
	found, err := eachSet(ctx, a, sets, func(w *work, ctx context.Context) (l looked, err error) {
		l.others, l.missing, err = w.others(ctx)
		return l, err
	})
	for _, l := range found {
		others, unmatchedEntries = append(others, l.others...), append(unmatchedEntries, l.missing...)
	}
	return others, unmatchedEntries, err
}

// others looks at the objects of one set that the watch does not show to be ours.
func (w *work) others(ctx context.Context) (others []Other, missing []string, err error) {
	taken := map[int]bool{} // entries of application.adopt
	for i := range w.set.Objects {
		o := &w.set.Objects[i]
		r := RefOf(o.Object)
		now, t, _ := w.live.find(r)
		if o.Keep || !w.reachable(r.Namespace) {
			continue
		}
		if now != nil && w.mine(now, t) {
			if now.adopted != "" {
				taken[w.entry(r, now.labels)] = true
			}
			continue
		}
		u, err := w.read(ctx, o.Object.GroupVersionKind(), r)
		if err != nil {
			return nil, nil, err
		}
		if u == nil {
			continue
		}
		if now := w.live.observe(u); w.mine(now, t) {
			continue
		}
		other := Other{App: w.app(), Ref: r, Owner: ownerOf(u, w.fleet), Adopted: w.adoptable(u), Fields: w.given(o, u)}
		if other.Adopted {
			taken[w.entry(r, u.GetLabels())] = true
		}
		others = append(others, other)
	}
	for i := range w.set.Adopt {
		if !taken[i] {
			missing = append(missing, w.app().String()+": "+unmatched(&w.set.Adopt[i], w.set.Namespace))
		}
	}
	return others, missing, nil
}

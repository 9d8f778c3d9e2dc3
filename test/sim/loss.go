package sim

import (
	"context"

	"github.com/d-aros/d-aros/pkg/model"
)

// losses are the ways in which the status branch comes to hold something else than the ledger of the fleet.
var losses = map[string]func(o *origin) version{
	"missing": func(*origin) version { return version{} },
	"foreign": func(o *origin) version {
		v := o.versions[o.good()-1]
		v.ledger.Identity.ID = string(model.DigestOf("another fleet"))
		return v
	},
	"older": func(o *origin) version { return o.versions[max(0, o.good()-4)] },
}

// loseBranch has the branch hold something else. Nobody can tell who never saw the ledger, or saw only what the branch
// holds now, so it makes no difference before the cluster remembers better.
func (w *World) loseBranch(how string) {
	o := w.origin
	if o.tip() == 0 || w.cluster.anchor == nil {
		return
	}
	v := losses[how](o)
	if v.ledger.Identity.ID == w.cluster.anchor.ID && v.ledger.Identity.Sequence >= w.cluster.anchor.Sequence {
		return
	}
	for _, p := range w.processes {
		if p.loop != nil && (o.says(p.kept).Identity.Sequence <= v.ledger.Identity.Sequence || p.kept < w.adopts) {
			p.loop = nil // a Lease has it start anew, and it asks the cluster then; what it was told to adopt is gone
		}
	}
	for _, n := range w.hearing.saved {
		n.owed = false // the history that would tell it is gone
	}
	v.lost = true
	o.add(v)
}

// restoreBranch does what "reconciler restore --write" does: it writes the copy of the last save to the branch, as the next save.
// The cluster may remember a newer one if an adoption did not reach it; then somebody reads so and adopts what was restored.
func (w *World) restoreBranch() {
	if o := w.origin; o.lost() {
		good := o.good()
		if kept := w.kept(); good == w.adopts && kept > 0 {
			good = kept // what nobody has adopted yet is in no copy
		}
		v := o.versions[good-1]
		v.lost = false
		v.ledger.Identity.Sequence++
		b := &branch{process: w.processes[0], origin: o}
		v.files, v.ledger = b.encode(&v.ledger)
		o.add(v)
		w.tell("    the branch is restored, as version %d", o.tip())
		if now := w.cluster.anchor; !now.Same(v.ledger.Identity) || now.Sequence > v.ledger.Identity.Sequence {
			w.adopts = o.tip()
			w.begin(o.now())
		}
	}
}

// kept is the last version that a process has a copy of, 0 if none has.
func (w *World) kept() (last int) {
	for _, p := range w.processes {
		last = max(last, p.kept)
	}
	return last
}

// good is the last version that was the ledger, 0 if there is none.
func (o *origin) good() int {
	n := o.tip()
	for n > 0 && o.versions[n-1].lost {
		n--
	}
	return n
}

// lost reports whether the branch holds something else than the ledger.
func (o *origin) lost() bool { return o.good() != o.tip() }

// Anchor is what the cluster remembers of the ledger. Reading it is no line: it follows the reading of the branch at once.
func (c *carrier) Anchor(context.Context) (model.Anchor, bool, error) {
	switch {
	case c.world.apiDown:
		return model.Anchor{}, false, errDown
	case c.cluster.anchor == nil:
		return model.Anchor{}, false, nil
	}
	return *c.cluster.anchor, true, nil
}

func (c *carrier) SetAnchor(_ context.Context, a model.Anchor) error {
	if c.world.apiDown {
		return errDown
	}
	c.cluster.anchor = &a
	return nil
}

func (c *carrier) Inventories(_ context.Context, after int) ([]model.Inventory, int, error) {
	if c.view == nil && c.world.apiDown {
		return nil, 0, errDown
	}
	if c.sync(); c.changes == after {
		return nil, after, nil
	}
	return c.inventories, c.changes, nil
}

// hostCopy is the copy of the ledger on the host of a process. It survives a crash.
type hostCopy struct{ *process }

func (h hostCopy) KeptIdentity() model.LedgerIdentity { return h.world.origin.says(h.kept).Identity }

func (h hostCopy) Kept() (model.Ledger, bool) {
	h.acts = h.kept
	return *h.world.origin.says(h.kept), h.kept > 0
}

// Accept hears that the process takes what it read for the ledger. While it cannot ask the cluster whether it is, it goes by
// what it acted on last.
func (h hostCopy) Accept() {
	h.branch.taken = true
	if h.goesBy = h.branch.head; !h.branch.over {
		h.kept = h.branch.head
	}
}

package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// A forgery is a commit of somebody who has the token of the status branch and not the key.
type forgery struct {
	why  string // it is not believed
	says model.Ledger
}

// forgeries are what somebody makes of the record of an application, to have something run, end or count that nobody
// decided.
var forgeries = map[string]func(l *model.Ledger, inst *model.Instance){
	"image": func(_ *model.Ledger, inst *model.Instance) { forgeImage(inst) }, // the digest stays
	"digest": func(_ *model.Ledger, inst *model.Instance) {
		forgeImage(inst)
		inst.Spec = new(inst.Spec.Seal())
		for i := range inst.Components {
			inst.Components[i].Workload = "forged"
		}
	},
	"approval": func(_ *model.Ledger, inst *model.Instance) {
		if inst.Run == nil {
			return
		}
		run := *inst.Run
		run.Steps = slices.Clone(run.Steps)
		for i := range run.Steps {
			run.Steps[i].Phase, run.Steps[i].Reason = model.StepSucceeded, "Approved"
		}
		inst.Run = &run
	},
	"grant": func(_ *model.Ledger, inst *model.Instance) {
		for i := range inst.Components {
			inst.Components[i].Grant.Replicas += 3
			inst.Components[i].Run += 3
		}
	},
	"delete-data": func(_ *model.Ledger, inst *model.Instance) {
		spec := *inst.Spec
		spec.Policy = new(*spec.Policy)
		spec.Lifecycle.Deletion, spec.Policy.Deletion = model.DeletionDeleteData, model.DeletionDeleteData
		inst.Spec, inst.Phase = &spec, model.PhaseTerminated
	},
	"end": func(_ *model.Ledger, inst *model.Instance) {
		inst.Phase, inst.Reason, inst.Components = model.PhaseTerminated, model.ReasonRemoved, nil
	},
	"source": func(l *model.Ledger, _ *model.Instance) { l.Commit = fmt.Sprintf("%040x", 1) },
	"drop": func(l *model.Ledger, inst *model.Instance) {
		app := inst.App
		l.Instances = slices.DeleteFunc(l.Instances, func(i model.Instance) bool { return i.App == app })
	},
	"sequence": func(l *model.Ledger, _ *model.Instance) { l.Identity.Sequence += 1000 },
}

var (
	forgeryWords = []string{"image", "digest", "approval", "grant", "delete-data", "end", "source", "drop", "sequence"}
	forgerWords  = []string{"unsigned", "wrong-key", "wrong-branch"}
	forgers      = map[string]string{
		"unsigned":     "is not signed",
		"wrong-key":    "is signed by a key that is not trusted",
		"wrong-branch": "is a save of branch other", // signed by a trusted key
	}
)

func forgeImage(inst *model.Instance) {
	spec := *inst.Spec
	spec.Components = slices.Clone(spec.Components)
	for i := range spec.Components {
		if spec.Components[i].Type == "worker" {
			spec.Components[i].Properties = []byte(`{"image":"registry.example.com/forged:1"}`)
		}
	}
	inst.Spec = &spec
}

// sign gives the fleet a key from its first save on.
func (w *World) sign() {
	if w.origin.tip() > 0 {
		return
	}
	w.signed = true
	for _, p := range w.processes {
		p.loop = nil
	}
}

// forge has somebody push what they made of the ledger.
func (w *World) forge(app model.AppID, what, by string) {
	l, o := *w.origin.now(), w.origin
	if _, known := l.Find(app); !w.signed || !known || o.lost() {
		return
	}
	l.Instances = slices.Clone(l.Instances)
	for i := range l.Instances {
		if inst := &l.Instances[i]; inst.App == app && inst.Spec != nil {
			inst.Components, inst.Revision = slices.Clone(inst.Components), model.Revision{}
			forgeries[what](&l, inst)
			break
		}
	}
	o.forged, o.forgery = o.forged+1, &forgery{forgers[by], l}
}

// at counts what was pushed: it names the tip.
func (o *origin) at() int { return len(o.versions) + o.forged }

// add has a push arrive.
func (o *origin) add(v version) {
	o.versions, o.forgery = append(o.versions, v), nil
}

// unbelieved returns why a process does not believe the tip of a signed fleet, "" if it does.
func (b *branch) unbelieved() string {
	o := b.origin
	switch {
	case !b.world.signed:
		return ""
	case o.forgery != nil:
		return o.forgery.why
	case o.tip() == 0 || o.now().Revision == model.Revision{}:
		return ""
	}
	last, found := o.says(b.kept).Identity, o.now().Identity
	if b.taken {
		last = b.ledger.Identity
	}
	switch {
	case last.ID == "", !b.taken && (found.ID != last.ID || b.world.adopts == o.tip()):
		return ""
	case found.ID != last.ID:
		return "is of another ledger"
	case found.Sequence < last.Sequence:
		return "is an older save"
	case found.Sequence == last.Sequence && o.now().Revision != b.ledger.Revision && b.taken:
		return "is another save of that number"
	}
	return ""
}

// read reads the tip: as it is, or what a process goes on from that does not believe it.
func (b *branch) read() error {
	o := b.origin
	deleted := o.tip() > 0 && o.forgery == nil && o.now().Revision == model.Revision{}
	why := b.unbelieved()
	switch {
	case why != "" && b.gullible && o.forgery != nil:
		b.head, b.at, b.over = o.tip(), o.at(), false
		b.files, b.ledger = b.encode(&o.forgery.says)
	case why != "":
		return b.goOn(why)
	case deleted && b.taken && b.head > 0:
		b.at, b.files, b.over = o.at(), nil, true
	default:
		b.fetch()
	}
	return nil
}

// foreignMost is how many foreign tips of an hour a process saves over.
const foreignMost = 6

// goOn has a process go on from what it verified last.
func (b *branch) goOn(why string) error {
	o := b.origin
	commit := fmt.Sprintf("%040x", 1<<32+o.at())
	if !slices.ContainsFunc(b.foreign, func(f status.ForeignCommit) bool { return f.Commit == commit }) {
		b.foreign = append(b.foreign, status.ForeignCommit{Commit: commit, Why: why, At: b.world.now})
	}
	base := b.kept
	if b.taken {
		base = b.head
	}
	if behind := o.now().Identity; behind.Sequence > o.says(base).Identity.Sequence && (base == 0 || behind.ID == o.says(base).Identity.ID) {
		base = o.tip()
	}
	if base == 0 {
		return &status.ForeignError{Commit: commit, Why: why}
	}
	recent := 0
	for _, f := range b.foreign {
		if b.world.now.Sub(f.At) < time.Hour {
			recent++
		}
	}
	if recent > foreignMost && b.taken {
		return &status.ForeignError{Commit: commit, Why: why, Many: true}
	}
	if !b.taken || base != b.head {
		b.head, b.ledger = base, *o.says(base)
	}
	b.at, b.files, b.over = o.at(), nil, true
	return nil
}

// FromMemory reports whether the tip is not what the process goes by.
func (b *branch) FromMemory() bool { return b.over }

// Foreign returns the tips that this process did not believe.
func (b *branch) Foreign() ([]status.ForeignCommit, int) { return b.foreign, len(b.foreign) }

const ruleForeign = "a commit that nobody trusted has signed is named"

// foreignIsNamed: people learn at once that somebody else writes to the branch.
func (w *World) foreignIsNamed(p *process) {
	for _, f := range p.branch.foreign {
		if !p.named[f.Commit] {
			w.violate(ruleForeign, "%s found %s, and its log does not say so", p.name, f.Commit)
		}
	}
}

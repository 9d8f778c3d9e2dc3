package sim

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// origin is the status branch where it lives: one version after another, each as
// files. Only a push that knows the tip adds one.
type origin struct {
	versions []version // the tip is the last; version n is versions[n-1]

	forged  int      // commits on the branch that are no version: whoever holds no key made them
	forgery *forgery // what the tip is, nil: a version

	whole map[model.AppID][]byte // what damaged records said

	down   bool // nothing gets through
	refuse int  // so many pushes get lost before they arrive
	lose   int  // of so many pushes the answer gets lost
	deaf   int  // so many questions for the tip after that get lost too
}

type version struct {
	files  map[string][]byte
	ledger model.Ledger // what the files say
	lost   bool         // it is not the ledger of the fleet
}

func (o *origin) tip() int { return len(o.versions) }

// says returns what the branch said at a version.
func (o *origin) says(n int) *model.Ledger {
	if n == 0 {
		return &model.Ledger{}
	}
	return &o.versions[n-1].ledger
}

// now is what the branch says.
func (o *origin) now() *model.Ledger { return o.says(o.tip()) }

// recheck is how long a process trusts that the branch is where it saw it last, as
// cmd/reconciler has it.
const recheck = time.Minute

// branch is the status branch as one process sees it. It behaves as *status.Branch
// does, cache and lost answers included.
type branch struct {
	*process
	origin *origin

	known   bool
	taken   bool // the loop takes it for the ledger
	head    int  // the version that ledger is
	at      int  // the tip, as origin.at counts
	over    bool // the tip is not the version: it was not believed, or the branch was deleted
	files   map[string][]byte
	ledger  model.Ledger
	pending *pushed
	asked   time.Time

	foreign  []status.ForeignCommit // tips that were not believed
	gullible bool                   // a bug: it believes all
}

// pushed is a push whose answer was lost.
type pushed struct {
	head   int
	at     int
	files  map[string][]byte
	ledger model.Ledger
}

func (b *branch) Load(context.Context) (model.Ledger, error) {
	b.line("load the status branch")
	b.goesBy, b.lost = 0, false
	fresh := b.known && b.pending == nil && b.world.now.Sub(b.asked) < recheck
	if !fresh {
		if b.origin.down {
			return model.Ledger{}, errDown
		}
		switch at := b.origin.at(); {
		case b.pending != nil && b.pending.at == at:
			b.arrive()
		case b.known && b.at == at:
		default:
			if err := b.read(); err != nil {
				return model.Ledger{}, err
			}
		}
		b.known, b.pending, b.asked = true, nil, b.world.now
	}
	b.loaded = b.head
	return b.ledger, nil
}

// fetch reads the tip as a process does that knows nothing yet.
func (b *branch) fetch() {
	b.head, b.at, b.over, b.files, b.ledger = b.origin.tip(), b.origin.at(), false, nil, *b.origin.now()
	if b.head > 0 {
		b.files = b.origin.versions[b.head-1].files
	}
}

func (b *branch) Saves(_ context.Context, after int64) (saves []status.Save, err error) {
	for n := b.origin.tip(); n > 0 && !b.origin.versions[n-1].lost && b.origin.says(n).Identity.Sequence > after; n-- {
		saves = append(saves, status.Save{Before: *b.origin.says(n - 1), After: *b.origin.says(n), At: begin})
	}
	slices.Reverse(saves)
	return saves, nil
}

func (b *branch) Commit(_ context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	changed, err := b.save(previous, next)
	return b.ledger, changed, err
}

func (b *branch) save(previous, next model.Ledger) (bool, error) {
	b.line("save")
	if b.pending != nil {
		if err := b.settle(); err != nil {
			return false, err
		}
	}
	if !b.known || previous.Revision != b.ledger.Revision {
		return false, status.ErrMoved
	}
	b.world.damagedRest(b.process, &previous, &next)
	b.world.planned(b, previous, next)
	b.checkRevisions(&next)
	files, ledger := b.encode(&next)
	if maps.EqualFunc(files, b.files, func(x, y []byte) bool { return string(x) == string(y) }) {
		return false, nil
	}
	next.Identity.Sequence = b.ledger.Identity.Sequence + 1
	files, ledger = b.encode(&next)
	if b.origin.down {
		return false, errDown
	}
	if b.origin.refuse > 0 {
		b.origin.refuse--
		return false, errDown
	}
	if b.origin.at() != b.at {
		b.asked, b.lost = time.Time{}, true
		return false, status.ErrMoved
	}
	before := b.origin.now()
	if b.origin.lost() {
		before = b.origin.says(b.head)
	}
	b.world.pushes(b.process, before, &ledger)
	b.origin.add(version{files: files, ledger: ledger})
	b.pending = &pushed{b.origin.tip(), b.origin.at(), files, ledger}
	b.line("the push has arrived")
	if b.origin.lose > 0 {
		b.origin.lose--
		if err := b.settle(); err != nil {
			return false, err
		}
	} else {
		b.arrive()
	}
	b.asked, b.goesBy, b.kept = b.world.now, b.head, b.head
	return true, nil
}

// settle finds out what became of a push without an answer.
func (b *branch) settle() error {
	if b.origin.down || b.origin.deaf > 0 {
		b.origin.deaf = max(0, b.origin.deaf-1)
		return errDown
	}
	switch b.origin.at() {
	case b.pending.at:
		b.arrive()
	case b.at:
	default:
		b.asked, b.lost = time.Time{}, true
		return status.ErrMoved
	}
	b.pending, b.asked = nil, b.world.now
	return nil
}

// arrive hears that the pending push is the tip.
func (b *branch) arrive() {
	now := b.pending
	b.head, b.at, b.over, b.files, b.ledger, b.pending = now.head, now.at, false, now.files, now.ledger, nil
	b.taken = true
}

// checkRevisions demands that a record with a revision says what the record of that
// revision said when it was written: whoever changes one sets the revision to zero.
func (b *branch) checkRevisions(next *model.Ledger) {
	for i := range next.Instances {
		now := &next.Instances[i]
		if now.Revision == (model.Revision{}) || b.ledger.DamagedOf(now.App) != nil {
			continue
		}
		if bytes.Equal(revised(b.files, now.App), now.Revision[:]) {
			files := map[string][]byte{}
			fresh := &branch{process: b.process, origin: b.origin} // it knows nothing, so it encodes all
			fresh.encodeInstance(files, model.Instance{}, *now)
			for name, text := range files {
				if string(text) != string(b.files[name]) {
					b.world.violate("a changed record has no revision", "%s: %s says %s, and said %s", now.App, name, text, b.files[name])
				}
			}
		}
	}
}

// revised returns the revision of an instance: it names the content of its files.
func revised(files map[string][]byte, app model.AppID) []byte {
	h := sha1.New()
	for _, kind := range []string{"instances/", "specs/", "previous/", "runs/"} {
		h.Write(files[kind+app.String()])
		h.Write([]byte{0})
	}
	return h.Sum(nil)
}

// encode returns the files of a ledger, and the ledger as it would be read back
// from them. What is as before is not encoded again.
func (b *branch) encode(next *model.Ledger) (map[string][]byte, model.Ledger) {
	old := &b.ledger
	files, back := map[string][]byte{}, model.Ledger{}
	back.Identity = put(b, files, "ledger", old.Identity, next.Identity)
	back.Commit = put(b, files, "commit", old.Commit, next.Commit)
	back.Source = put(b, files, "source", old.Source, next.Source)
	back.Platform = put(b, files, "platform", old.Platform, next.Platform)
	back.Tenants = put(b, files, "tenants", old.Tenants, next.Tenants)
	back.Pools = put(b, files, "capacity", old.Pools, next.Pools)
	back.Problems = put(b, files, "problems", old.Problems, next.Problems)
	back.Orphans = put(b, files, "orphans", old.Orphans, next.Orphans)
	for i := range next.Instances {
		now := next.Instances[i]
		was := model.Instance{}
		if known, ok := old.Find(now.App); ok {
			was = *known
		}
		if old.DamagedOf(now.App) != nil {
			back.Instances = append(back.Instances, was)
			continue
		}
		back.Instances = append(back.Instances, b.encodeInstance(files, was, now))
	}
	for i := range next.Decisions {
		now := next.Decisions[i]
		var was model.Decision
		if known, ok := decisionOf(old, now.App); ok {
			was = *known
		}
		if old.DamagedOf(now.App) != nil {
			if was.App == now.App {
				back.Decisions = append(back.Decisions, was)
			}
			continue
		}
		// One that differs in nothing but its inputs is the same decision.
		inputs := now.Inputs
		if now.Inputs, now.Revision = was.Inputs, was.Revision; !same(was, now) {
			now.Inputs = inputs
		}
		now.Revision = model.Revision{}
		name := "decisions/" + now.App.String()
		was.Revision = model.Revision{}
		made := put(b, files, name, was, now)
		made.Revision = sha1.Sum(files[name])
		back.Decisions = append(back.Decisions, made)
	}
	b.keepDamaged(files)
	back.Damaged, back.Revision = old.Damaged, revisionOf(files)
	return files, back
}

// encodeInstance adds the files of one instance.
func (b *branch) encodeInstance(files map[string][]byte, was, now model.Instance) model.Instance {
	name := now.App.String()
	spec, previous, run := was.Spec, was.Previous, was.Run
	inst := put(b, files, "instances/"+name, bare(was), bare(now))
	inst.Spec = b.putSpec(files, "specs/"+name, spec, now.Spec)
	inst.Previous = b.putSpec(files, "previous/"+name, previous, now.Previous)
	if now.Run != nil {
		inst.Run = put(b, files, "runs/"+name, run, now.Run)
	}
	inst.Revision = model.Revision(revised(files, now.App))
	return inst
}

// put adds a file that says v, and returns v as it would be read back.
func put[T any](b *branch, files map[string][]byte, name string, was, v T) T {
	if before, ok := b.files[name]; ok && reflect.DeepEqual(was, v) {
		files[name] = before
		return was
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("sim: encode %s: %v", name, err))
	}
	files[name] = text
	if before, ok := b.files[name]; ok && string(before) == string(text) {
		return was
	}
	return read[T](text)
}

func same(x, y any) bool {
	return reflect.DeepEqual(x, y) || model.DigestOf(x) == model.DigestOf(y)
}

func read[T any](text []byte) (v T) {
	if err := json.Unmarshal(text, &v); err != nil {
		panic(fmt.Sprintf("sim: decode %T: %v", v, err))
	}
	return v
}

// bare returns an instance without its specs, which have files of their own.
func bare(inst model.Instance) model.Instance {
	inst.Spec, inst.Previous, inst.Run, inst.Revision = nil, nil, nil, model.Revision{}
	return inst
}

// putSpec adds the file of a spec, unless there is none or it is there.
func (b *branch) putSpec(files map[string][]byte, name string, was, now *model.Application) *model.Application {
	switch {
	case now == nil:
		return nil
	case was != nil && was.Digest == now.Digest && was.Commit == now.Commit && b.files[name] != nil:
		files[name] = b.files[name]
		return was
	}
	redacted := now.Redact()
	return released(put(b, files, name, was, &redacted))
}

// released returns a spec that was read with its release, which no file has.
func released(spec *model.Application) *model.Application {
	if spec.Release == "" {
		*spec = spec.Released()
	}
	return spec
}

// decode reads a ledger from files.
func decode(files map[string][]byte) (l model.Ledger) {
	l.Identity = read[model.LedgerIdentity](files["ledger"])
	l.Commit = read[string](files["commit"])
	l.Source = read[model.SourceState](files["source"])
	l.Platform = read[*model.Platform](files["platform"])
	l.Tenants = read[[]model.Tenant](files["tenants"])
	l.Pools = read[[]model.Pool](files["capacity"])
	l.Problems = read[[]model.Problem](files["problems"])
	l.Orphans = read[[]model.Inventory](files["orphans"])
	for _, id := range apps {
		if text, ok := files["instances/"+id.String()]; ok {
			inst := read[model.Instance](text)
			if text, ok := files["specs/"+id.String()]; ok {
				inst.Spec = released(read[*model.Application](text))
			}
			if text, ok := files["previous/"+id.String()]; ok {
				inst.Previous = released(read[*model.Application](text))
			}
			if text, ok := files["runs/"+id.String()]; ok {
				inst.Run = read[*model.Run](text)
			}
			l.Instances = append(l.Instances, inst)
		}
		if text, ok := files["decisions/"+id.String()]; ok {
			l.Decisions = append(l.Decisions, read[model.Decision](text))
		}
	}
	return l
}

func decisionOf(l *model.Ledger, app model.AppID) (*model.Decision, bool) {
	for i := range l.Decisions {
		if l.Decisions[i].App == app {
			return &l.Decisions[i], true
		}
	}
	return nil, false
}

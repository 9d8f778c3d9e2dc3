package solve

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Scaling is what the past use of a node makes of its weight in the surplus: it is scaled by 2^(1-used/fair), within a
// quarter and twice. Used is what the node had on average, and counts the less the longer ago it was; fair is what its
// fair share would be without any history.
//
// The factor has steps of a sixteenth of its exponent, and stays on its step until it is a whole step away: else a
// weight that has come to rest between two steps would move applications to and fro. It follows from what the ledger
// says and what is asked for, so it changes when past use is written or demand changes, and time alone changes nothing.
type Scaling struct {
	Declared int64 // the weight that people wrote
	Step     int   // the weight that counts is so many sixteenths of a power of two more
	used     int64 // as model.NodeUse.Used, by the half-life in force
	was      int   // the step that the ledger says
}

const (
	stepsOfTwo = model.MostStep // steps until a weight is doubled
	unscaled   = 256            // a weight that is not scaled is so many times the declared one, so that scaled ones are integers
)

// halfLife is that of past use by a platform, 0: weights do not follow it.
func halfLife(p *model.Platform) time.Duration {
	if half := p.HalfLife; half >= model.LeastHalfLife && half <= model.MostHalfLife {
		return half
	}
	return 0
}

// ReadPast reads past use from what the ledger says of it, which may be nil. A record that somebody changed by hand counts
// for nothing.
func (t *Tree) ReadPast(past *model.PastUse) {
	for i := range t.Nodes {
		t.Nodes[i].used, t.Nodes[i].was = 0, model.MostStep
	}
	if t.HalfLife == 0 || past == nil || !past.Intact() {
		return
	}
	groups := map[string]int{}
	for i := range t.Nodes {
		if t.Nodes[i].group != nil {
			groups[t.Nodes[i].Name] = i
		}
	}
	full, was := allOf(t.HalfLife), allOf(past.HalfLife)
	for _, u := range past.Nodes {
		i, known := t.Tenants[u.Tenant]
		if u.Group != "" {
			i, known = groups[u.Group]
		}
		if known {
			used := Share(min(max(u.Used, 0), int64(was)))
			t.Nodes[i].used = int64(mulDiv(used, full, was))
			t.Nodes[i].was = min(max(u.Step, model.LeastStep), model.MostStep)
		}
	}
}

// Reweigh brings weights up to date with past use, and reports whether one has changed.
func (t *Tree) Reweigh() (changed bool) {
	if t.unweighted == nil {
		return false
	}
	for i, n := range t.Nodes {
		n.Step = stepOf(t.average(n), t.unweighted[i], n.was)
		twice := mulDiv(Share(4*unscaled*n.Declared), halved(Share(model.MostStep-n.Step), stepsOfTwo), one)
		weight := min(int64(twice+1)/2, 8*heaviest)
		changed = changed || weight != n.Weight
		n.Weight = weight
	}
	return changed
}

// stepOf is the step of a node that used so much on average of a fair share, and was on a step.
func stepOf(used, fair Share, was int) int {
	if fair == 0 {
		return was // it asks for nothing
	}
	const fine = 16 // parts of a step
	at := stepsOfTwo*fine - int(min(mulDiv(used, stepsOfTwo*fine, fair), 3*stepsOfTwo*fine))
	if off := at - was*fine; -fine < off && off < fine {
		return was
	}
	return (at+fine/2+stepsOfTwo*fine*fine)/fine - stepsOfTwo*fine // to the nearest
}

// average is what a node had of all capacity on average.
func (t *Tree) average(n *Node) Share { return mulDiv(Share(n.used), Whole, allOf(t.HalfLife)) }

// Past is what a node had of all capacity on average, and how many thousandths of its declared weight count.
func (t *Tree) Past(n *Node) (used Share, factor int) { return t.average(n), factorOf(n.Step) }

// factorOf is the factor of a step in thousandths.
func factorOf(step int) int {
	return int(mulDiv(4*1000, halved(Share(model.MostStep-step), stepsOfTwo), one)+1) / 2
}

// PastUse is what the ledger is to say of past use at the time now, after it said last, which may be nil: what every node
// had since then, by the beginning of this arbitration, is added. It is nil if weights do not follow it. A clock that jumps
// back adds nothing.
func (t *Tree) PastUse(last *model.PastUse, now time.Time) *model.PastUse {
	half := t.HalfLife
	if half == 0 {
		return nil
	}
	next := &model.PastUse{At: now.UTC().Truncate(time.Second), HalfLife: half}
	var passed time.Duration
	switch {
	case last == nil:
	case !last.Intact():
		next.Anew = next.At
	default:
		passed = max(0, next.At.Sub(last.At))
		if next.At.Before(last.Anew.Add(half)) {
			next.Anew = last.Anew
		}
	}
	kept, full := halved(Share(passed.Microseconds()), Share(half.Microseconds())), allOf(half)
	gained := full - mulDiv(full, kept, one)
	for i := 1; i < len(t.Nodes); i++ {
		n := t.Nodes[i]
		u := model.NodeUse{Used: int64(mulDiv(Share(n.used), kept, one) + mulDiv(min(n.Had, Whole), gained, Whole)), Step: n.Step, Factor: factorOf(n.Step)}
		if n.Declared == 0 || u.Used == 0 && u.Step == model.MostStep {
			continue
		}
		if n.group != nil {
			u.Group = n.Name
		} else {
			u.Tenant = n.Name
		}
		next.Nodes = append(next.Nodes, u)
	}
	return next.Seal()
}

// allOf is the past use of a node that always had all capacity: the half-life divided by the logarithm of 2.
func allOf(half time.Duration) Share { return mulDiv(Share(half.Microseconds()), perHalfLife, one) }

// Numbers from 0 to 1 are in units of one. There are no floats here: every machine has to decide the same.
const (
	one         Share = 1 << 62
	ln2         Share = 3196577161300663915 // the logarithm of 2
	perHalfLife Share = 6653256548922161246 // 1 divided by that
)

// halved returns 2^(-n/of), by the series of the exponential function.
func halved(n, of Share) Share {
	halves := n / of
	if halves >= 62 {
		return 0
	}
	x := mulDiv(ln2, n%of, of)
	sum, term := one, one
	for k := Share(1); term > 0; k++ {
		if term = mulDiv(term, x, one) / k; k%2 == 1 {
			sum -= term
		} else {
			sum += term
		}
	}
	return sum >> halves
}

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

// HalfLife is that of past use, 0: weights do not follow it.
func (c *Case) HalfLife() time.Duration {
	if half := c.Fleet.Platform.HalfLife; half >= model.LeastHalfLife && half <= model.MostHalfLife {
		return half
	}
	return 0
}

// ReadPast reads past use from the ledger. One that somebody changed by hand counts for nothing.
func (c *Case) ReadPast() {
	if c.HalfLife() <= 0 {
		return
	}
	for i := range c.Nodes {
		c.Nodes[i].used, c.Nodes[i].was = 0, model.MostStep
	}
	past := c.Ledger.PastUse
	if past == nil || !past.Intact() {
		return
	}
	groups := map[string]int{}
	for i := range c.Nodes {
		if c.Nodes[i].group != nil {
			groups[c.Nodes[i].Name] = i
		}
	}
	full, was := allOf(c.HalfLife()), allOf(past.HalfLife)
	for _, u := range past.Nodes {
		i, known := c.Tenants[u.Tenant]
		if u.Group != "" {
			i, known = groups[u.Group]
		}
		if known {
			used := Share(min(max(u.Used, 0), int64(was)))
			c.Nodes[i].used = int64(mulDiv(used, full, was))
			c.Nodes[i].was = min(max(u.Step, model.LeastStep), model.MostStep)
		}
	}
}

// Reweigh brings weights up to date with past use, and reports whether one has changed.
func (c *Case) Reweigh() (changed bool) {
	if c.unweighted == nil {
		return false
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Step = stepOf(c.average(n), c.unweighted[i], n.was)
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
func (c *Case) average(n *Node) Share { return mulDiv(Share(n.used), Whole, allOf(c.HalfLife())) }

// Past is what a node had of all capacity on average, and how many thousandths of its declared weight count.
func (c *Case) Past(n *Node) (used Share, factor int) { return c.average(n), factorOf(n.Step) }

// factorOf is the factor of a step in thousandths.
func factorOf(step int) int {
	return int(mulDiv(4*1000, halved(Share(model.MostStep-step), stepsOfTwo), one)+1) / 2
}

// PastUse is what the ledger is to say of past use at the time now: what every node had since the last time, by this
// case's beginning, is added. It is nil if weights do not follow it. A clock that jumps back adds nothing.
func (c *Case) PastUse(now time.Time) *model.PastUse {
	half := c.HalfLife()
	if half <= 0 {
		return nil
	}
	next := &model.PastUse{At: now.UTC().Truncate(time.Second), HalfLife: half}
	var passed time.Duration
	switch last := c.Ledger.PastUse; {
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
	for i := 1; i < len(c.Nodes); i++ {
		n := &c.Nodes[i]
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

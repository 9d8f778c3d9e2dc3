package git

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"
)

// Divergence is how one commit lies to another.
type Divergence struct {
	// Bases are the best common ancestors. There is one in most histories, none where
	// the histories are unrelated, and several where branches were merged crosswise.
	// Wrong dates in commits may add ancestors that are not the best; they take none away.
	Bases []Hash

	Theirs []Hash // commits that only the other one reaches, each after its parents
	Read   int    // commits that were read to find out
}

// TooFarError says that two commits diverge by more commits than are read.
type TooFarError struct{ Max int }

func (e *TooFarError) Error() string {
	return fmt.Sprintf("is more than %d commits away from where it began", e.Max)
}

// Diverge finds where two commits diverge, as "git merge-base --all" does. It reads
// commits newest first until what is left is known to both sides. More than max commits
// are a *TooFarError.
func (s *Store) Diverge(ours, theirs Hash, max int) (Divergence, error) {
	d := divergence{store: s, max: max, commits: map[Hash]*painted{}}
	for _, side := range []struct {
		commit Hash
		paint  paint
	}{{ours, byOurs}, {theirs, byTheirs}} {
		if err := d.paint(side.commit, side.paint); err != nil {
			return Divergence{}, err
		}
	}
	for d.more() {
		if err := d.step(d.paint); err != nil {
			return Divergence{}, err
		}
	}
	// Where dates are wrong, a commit may be known to one side only because the walk
	// reached it from the other side later than its ancestors.
	for len(d.queue) > 0 {
		if err := d.step(func(h Hash, p paint) error {
			if d.commits[h] == nil {
				return nil
			}
			return d.paint(h, p)
		}); err != nil {
			return Divergence{}, err
		}
	}
	result := Divergence{Read: len(d.commits)}
	for _, h := range d.order {
		if d.commits[h].paint == byBoth {
			result.Bases = append(result.Bases, h)
		}
	}
	result.Theirs = d.theirs(theirs)
	return result, nil
}

// paint says from which sides a commit is reached, and whether a common ancestor
// reaches it.
type paint uint8

const (
	byOurs paint = 1 << iota
	byTheirs
	stale
	byBoth = byOurs | byTheirs
)

type painted struct {
	*object.Commit
	paint  paint
	number int // in the order in which commits were found
	queued bool
}

func (p *painted) open() bool { return p.queued && p.paint&stale == 0 }

type divergence struct {
	store   *Store
	max     int
	commits map[Hash]*painted
	order   []Hash     // in which they were found
	queue   []*painted // the oldest first, of equal ones that which was found last
	open    int        // commits in the queue that are not stale
	oldest  *painted   // that was not stale when more looked
}

// more reports whether commits have to be read that are not known yet. Once a common
// ancestor reaches all that is queued, the walk may still reach a commit that counts as
// one of a side or as a best ancestor: among commits of one second, an ancestor may have
// been read before its descendants.
func (d *divergence) more() bool {
	if d.open > 0 || len(d.queue) == 0 {
		return d.open > 0
	}
	if d.oldest == nil || d.oldest.paint&stale != 0 {
		d.oldest = nil
		for _, c := range d.commits {
			if c.paint&stale == 0 && (d.oldest == nil || when(c).Before(when(d.oldest))) {
				d.oldest = c
			}
		}
	}
	return d.oldest != nil && !when(d.oldest).After(when(d.queue[len(d.queue)-1]))
}

// paint adds a colour to a commit, and queues it if that is new.
func (d *divergence) paint(h Hash, with paint) error {
	c := d.commits[h]
	if c == nil {
		if len(d.commits) == d.max {
			return &TooFarError{d.max}
		}
		read, err := d.store.Commit(h)
		if err != nil {
			return err
		}
		c = &painted{Commit: read, number: len(d.order)}
		d.commits[h], d.order = c, append(d.order, h)
	}
	if c.paint&with == with {
		return nil
	}
	if c.open() {
		d.open--
	}
	c.paint |= with
	if !c.queued {
		c.queued = true
		at, _ := slices.BinarySearchFunc(d.queue, c, func(a, b *painted) int {
			return cmp.Or(when(a).Compare(when(b)), cmp.Compare(b.number, a.number))
		})
		d.queue = slices.Insert(d.queue, at, c)
	}
	if c.open() {
		d.open++
	}
	return nil
}

// step hands the colour of the newest commit in the queue to its parents.
func (d *divergence) step(paint func(Hash, paint) error) error {
	c := d.queue[len(d.queue)-1]
	if d.queue = d.queue[:len(d.queue)-1]; c.open() {
		d.open--
	}
	c.queued = false
	down := c.paint
	if down&byBoth == byBoth {
		down |= stale
	}
	for _, parent := range c.ParentHashes {
		if err := paint(parent, down); err != nil {
			return err
		}
	}
	return nil
}

// theirs lists the commits that only the tip of their side reaches, each after its
// parents.
func (d *divergence) theirs(tip Hash) (list []Hash) {
	const entered, listed = 1, 2
	state := map[Hash]int{}
	for stack := []Hash{tip}; len(stack) > 0; {
		h := stack[len(stack)-1]
		c := d.commits[h]
		switch {
		case c == nil || c.paint != byTheirs || state[h] == listed:
			stack = stack[:len(stack)-1]
		case state[h] == entered:
			state[h], list = listed, append(list, h)
		default:
			state[h] = entered
			for i := len(c.ParentHashes) - 1; i >= 0; i-- {
				if parent := c.ParentHashes[i]; state[parent] == 0 {
					stack = append(stack, parent)
				}
			}
		}
	}
	return list
}

func when(c *painted) time.Time { return c.Committer.When }

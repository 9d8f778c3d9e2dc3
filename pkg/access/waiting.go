package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
)

// maxWaiting bounds how many commits are looked at for what a commit before them lacks.
const maxWaiting = 1000

// waiting are the commits of a line that lack a statement or people. A review that comes
// later covers all behind it, so whether a commit is accepted shows at the end. Each
// is judged by the keys and roles in force before it: no commit that waits can name
// those who review it.
type waiting struct {
	branch  string
	now     time.Time
	commits []pending      // oldest first
	order   map[string]int // of the commits of the line since the first that waits
}

// A pending commit is one of the line, with what it changes.
type pending struct {
	commit  *Commit
	policy  *Policy
	changes []change
}

// A change is what one commit changes in one area, and the signatures that count for it.
type change struct {
	commit string
	path   string // the first
	area   area
	voices []voice
}

// settled takes a commit of the line that was accepted so far under a policy, and reports
// whether nothing waits any more.
func (w *waiting) settled(p *Policy, c *Commit) bool {
	if len(w.commits) == 0 {
		w.order = map[string]int{}
	}
	w.order[c.Hash] = len(w.order)
	w.review(c)
	if p.enforced && p.audience != "" {
		w.commits = append(w.commits, pending{c, p, w.changes(p, c)})
	}
	w.commits = slices.DeleteFunc(w.commits, func(q pending) bool { return q.lacking() == nil })
	return len(w.commits) == 0
}

// full reports whether no more commits are looked at.
func (w *waiting) full() bool { return len(w.order) > maxWaiting }

// lacking returns the first change that lacks a statement or people, nil if none does.
func (q *pending) lacking() *change {
	for i := range q.changes {
		ch := &q.changes[i]
		people, stated := ch.people(q.policy)
		if need, _ := q.policy.need(ch.area); !stated || len(people) < need {
			return ch
		}
	}
	return nil
}

// people gathers the holders who may make a change and have signed something, by person:
// holders of one key are one person, and so are the keys of one holder. It reports
// whether one of them has made a statement.
func (ch *change) people(p *Policy) (people [][]int, stated bool) {
	for _, v := range ch.voices {
		may := slices.DeleteFunc(slices.Clone(v.signers), func(n int) bool { return !p.holders[n].may(ch.area) })
		if len(may) > 0 {
			people, stated = joined(people, may), stated || v.stated
		}
	}
	return people, stated
}

// others names the holders who may make a change now and are none of those.
func (ch *change) others(p *Policy, people [][]int, now time.Time) (names []string) {
	counted := slices.Concat(people...)
	for n := range p.holders {
		h := &p.holders[n]
		if h.may(ch.area) && !h.Revoked && h.expired(now) == "" && len(h.SSH)+len(h.OpenPGP) > 0 && !slices.Contains(counted, n) {
			names = append(names, p.names([]int{n}))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// voice returns the signature of a commit. It has no signers if that is not valid, or is
// the signature of a Git host.
func (w *waiting) voice(p *Policy, c *Commit) voice {
	signers, violation := p.signers(*c, w.now)
	if violation != nil || p.holders[signers[0]].merges {
		return voice{}
	}
	return voice{signers, states(c, p.audience, w.branch)}
}

// review lets the reviews in a commit of the line, and in what it brings, count for the
// commits that wait.
func (w *waiting) review(c *Commit) {
	if len(w.commits) == 0 {
		return
	}
	w.count(c, w.order[c.Hash])
	if c.Side == nil {
		return
	}
	reach := make(map[string]int, len(c.Side.Commits)) // of each commit: the last one of the line that it follows
	for i := range c.Side.Commits {
		s := &c.Side.Commits[i]
		last := -1
		for _, parent := range s.Parents {
			at, known := reach[parent]
			if !known {
				at, known = w.order[parent]
			}
			if known {
				last = max(last, at)
			}
		}
		reach[s.Hash] = last
		w.count(s, last)
	}
}

// count lets a commit that is a review count for those that wait up to one of the line.
func (w *waiting) count(r *Commit, upTo int) {
	for i := range w.commits {
		q := &w.commits[i]
		if w.order[q.commit.Hash] > upTo || !isReview(r, q.policy.audience, w.branch) {
			continue
		}
		v := w.voice(q.policy, r)
		for n := range q.changes {
			q.changes[n].voices = voices(q.changes[n].voices, v)
		}
	}
}

// changes lists what a commit of the line changes. A merge of people has its own signature
// for all that it brings; a merge of a Git host has none. Where it is not known who made
// what, the merge did.
func (w *waiting) changes(p *Policy, c *Commit) (list []change) {
	own := w.voice(p, c)
	if c.Side == nil || c.Side.Refused != "" || slices.ContainsFunc(c.Side.Commits, func(s Commit) bool { return s.Refused != "" }) {
		return byArea(nil, c.Hash, c.Paths, voices(nil, own))
	}
	left := make(map[string]bool, len(c.Paths)) // false: a commit that is merged changes it
	for _, path := range c.Paths {
		left[path] = true
	}
	reviews := w.reviews(p, c.Side)
	for i := range c.Side.Commits {
		s := &c.Side.Commits[i]
		var paths []string
		for _, path := range s.Paths {
			if _, changed := left[path]; changed {
				paths = append(paths, path)
				left[path] = false
			}
		}
		if len(paths) > 0 {
			list = byArea(list, s.Hash, paths, voices(reviews[i], w.voice(p, s), own))
		}
	}
	for _, path := range c.Side.Unmerged {
		if _, changed := left[path]; changed {
			left[path] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(c.Paths), func(path string) bool { return !left[path] })
	return byArea(list, c.Hash, rest, voices(nil, own))
}

// byArea adds the changes of a commit to a list, one for each area.
func byArea(list []change, commit string, paths []string, by []voice) []change {
	seen := map[area]bool{}
	for _, path := range paths {
		if of := areaOf(path); !seen[of] {
			seen[of] = true
			list = append(list, change{commit, path, of, slices.Clone(by)})
		}
	}
	return list
}

// reviews returns for each commit of a side the reviews on that side that it lies behind.
func (w *waiting) reviews(p *Policy, side *Side) [][]voice {
	at := make(map[string]int, len(side.Commits))
	for i := range side.Commits {
		at[side.Commits[i].Hash] = i
	}
	list := make([][]voice, len(side.Commits))
	for i := len(side.Commits) - 1; i >= 0; i-- {
		s, above := &side.Commits[i], list[i]
		if isReview(s, p.audience, w.branch) {
			above = voices(slices.Clone(above), w.voice(p, s))
		}
		for _, parent := range s.Parents {
			if n, onSide := at[parent]; onSide {
				list[n] = voices(list[n], above...)
			}
		}
	}
	return list
}

// violation returns why the first commit that waits is not accepted yet, nil if none
// waits.
func (w *waiting) violation() *Violation {
	if len(w.commits) == 0 {
		return nil
	}
	q := &w.commits[0]
	p, ch := q.policy, q.lacking()
	path, how := text.Line(ch.path, maxPath), "changes"
	if ch.commit != q.commit.Hash {
		how = "brings commit " + short(ch.commit) + ", which changes"
	}
	v := &Violation{Commit: q.commit.Hash, Path: path, Signer: "nobody"}
	people, stated := ch.people(p)
	if signers := p.names(slices.Concat(people...)); signers != "" {
		v.Signer = signers
	}
	if !stated {
		v.Code = CodeStatement
		v.Reason = fmt.Sprintf("%s %s, and nobody who may change that has signed for this fleet and branch with the line %q", how, path, Statement(p.audience, w.branch))
		v.Hint = fmt.Sprintf("run \"reconciler review\" on the branch, or \"reconciler merge\": %s may (docs/access.md)", ch.area.who())
		return v
	}
	need, setting := p.need(ch.area)
	v.Code = CodePeople
	v.Reason = fmt.Sprintf("%s %s, which needs %s (%s) and has %d: %s", how, path, persons(need), setting, len(people), v.Signer)
	v.Hint = "name more people who may, by a change of the layer above"
	if others := ch.others(p, people, w.now); len(others) > 0 {
		v.Hint = fmt.Sprintf("run \"reconciler review\" on the branch: %s may (docs/access.md)", text.Enumerate(others, maxNamed))
	}
	return v
}

// maxNamed bounds how many people a sentence names.
const maxNamed = 5

func persons(n int) string {
	return strings.Replace(text.Count(n, "person"), "persons", "people", 1)
}

package announce

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Between returns what changed from one saved ledger to the next, first what is about
// the fleet, then by application. Both may hold the same part of the applications.
// Saved is when the later one was saved, for what the records have no time of: the keys
// do not depend on it.
func Between(before, after *model.Ledger, saved time.Time) []Announcement {
	list := numbered(fleet(before, after, saved), after.Identity)
	known := before.Instances
	for i := range after.Instances {
		now, old := &after.Instances[i], &model.Instance{}
		for len(known) > 0 && known[0].App.Compare(now.App) <= 0 {
			if known[0].App == now.App {
				old = &known[0]
			}
			known = known[1:]
		}
		if !old.Revision.Is(now.Revision) {
			list = append(list, numbered(Application(old, now, saved), after.Identity)...)
		}
	}
	return list
}

// numbered gives the announcements about one subject their keys.
func numbered(list []Announcement, ledger model.LedgerIdentity) []Announcement {
	for i := range list {
		if ledger.ID != "" { // else the version that saved it knew none
			list[i].Key = Key{Ledger: ledger.ID, App: list[i].App, Save: ledger.Sequence, Place: i + 1}
		}
	}
	return list
}

// Application returns what changed of an application, in the order of time, and last what
// the records have no time of. Nobody has numbered that yet.
func Application(old, now *model.Instance, saved time.Time) []Announcement {
	list := slices.Concat(transitions(old, now), holds(old, now), run(old, now), outcomes(old, now), drift(old, now))
	slices.SortStableFunc(list, func(a, b Announcement) int {
		if a.At.IsZero() != b.At.IsZero() { // not by the time of the save: whoever repeats them may know another one
			return b.At.Compare(a.At)
		}
		return a.At.Compare(b.At)
	})
	for i := range list {
		list[i].App = now.App
		if list[i].At.IsZero() {
			list[i].At = saved
		}
	}
	return list
}

// transitions returns the new entries of the history of an application.
func transitions(old, now *model.Instance) (list []Announcement) {
	since := old.Since
	for _, t := range news(old.History, now.History) {
		a := Announcement{Kind: Transition, Subject: Subject{Instance: t.Instance}, Change: Change{
			At: t.At, From: string(t.From), To: string(t.To), Reason: t.Reason, Message: t.Message, Commit: t.Commit, Changes: t.Changes,
		}}
		switch {
		case t.OfAdmission():
			a.Kind = Admission
		case t.From == "":
			since = t.At
		case t.From != t.To:
			a.Took, since = t.At.Sub(since), t.At
		}
		if t.From == model.PhaseAdmitted && t.To == model.PhaseScheduled {
			a.Queued = t.At.Sub(born(now))
		}
		list = append(list, a)
	}
	return list
}

// born is when an instance came to be, as far as its history goes back.
func born(inst *model.Instance) time.Time {
	for _, t := range inst.History {
		if t.Instance == inst.Number {
			return t.At
		}
	}
	return inst.Since
}

// news returns the transitions of now that before does not have. Histories grow at the
// end and are cut at the beginning.
func news(before, now []model.Transition) []model.Transition {
	if len(before) == 0 {
		return now
	}
	last := &before[len(before)-1]
	for i := len(now) - 1; i >= 0; i-- {
		if t := &now[i]; t.At.Equal(last.At) && t.To == last.To && t.Reason == last.Reason && t.Instance == last.Instance {
			return now[i+1:]
		}
	}
	return now
}

// holds returns which releases came to be on hold, and which are not any more.
func holds(old, now *model.Instance) (list []Announcement) {
	add := func(to string, at time.Time, releases, others []model.Digest) {
		for _, release := range releases {
			if !slices.Contains(others, release) {
				list = append(list, Announcement{Kind: Hold, Subject: Subject{Instance: now.Number}, Change: Change{
					At: at, To: to, Message: "release " + release.Short(),
				}})
			}
		}
	}
	if !renamed(old.Held, now.Held) {
		add("held", now.Since, now.Held, old.Held)
		add("lifted", time.Time{}, old.Held, now.Held)
	}
	return list
}

// renamed reports whether releases got other names, as in an upgrade: as many as before,
// and not one as before.
func renamed(old, now []model.Digest) bool {
	return len(old) == len(now) && len(now) > 0 && !slices.ContainsFunc(now, func(release model.Digest) bool { return slices.Contains(old, release) })
}

// fleet returns what changed of the fleet as a whole.
func fleet(before, after *model.Ledger, saved time.Time) (list []Announcement) {
	add := func(kind Kind, c Change) {
		c.At = cmp.Or(c.At, saved)
		list = append(list, Announcement{Kind: kind, Change: c})
	}
	if before.Commit != after.Commit && after.Commit != "" {
		add(Commit, Change{From: before.Commit, To: after.Commit, Commit: after.Commit})
	}
	if after.Source.Replaced != "" && after.Source.Replaced != before.Source.Replaced {
		add(MovedBack, Change{From: after.Source.Replaced, To: after.Commit, Commit: after.Commit})
	}
	switch lost, now := before.Source.Unread, after.Source.Unread; {
	case lost == nil && now != nil:
		add(Source, Change{To: "lost", Message: "since " + now.Since.UTC().Format(time.RFC3339) + ": " + now.Cause})
	case lost != nil && now == nil:
		add(Source, Change{From: "lost", To: "back"})
	}
	refused := func(l *model.Ledger) []model.Problem {
		return slices.DeleteFunc(slices.Clone(l.Problems), func(p model.Problem) bool { return !strings.HasPrefix(p.Path, refusedCommit) })
	}
	for _, p := range refused(after) {
		same := func(o model.Problem) bool { return o.Code == p.Code && o.Path == p.Path }
		if !slices.ContainsFunc(refused(before), same) {
			add(Refusal, Change{To: "refused", Reason: model.Reason(p.Code), Message: p.Message, Commit: strings.TrimPrefix(p.Path, refusedCommit)})
		}
	}
	return list
}

// refusedCommit begins the path of a problem that is about a commit.
const refusedCommit = "commit "

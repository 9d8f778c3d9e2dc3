//go:build linux

package nodeagent

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// verifier looks whether workloads get what is reserved for them, whatever was written.
type verifier struct {
	last    map[string]measured // by workload
	starved map[string]starving // of processors
	memory  watched
	disks   watched
	network watched
	sent    map[uint16]qos.Sent // by classes, at the last look
	sentAt  time.Time
}

// watched is which promises of a resource are broken, as of the last turn in which it was measured.
type watched struct {
	watch  qos.Watch
	broken []qos.Broken
}

type measured struct {
	cgroup string
	at     time.Time
	usage  qos.Usage
}

// starving is a workload that starves of processors, and what its rivals had used when the last turn began.
type starving struct {
	qos.Starving
	since  time.Time
	rivals map[string]int64
}

// verify measures the workloads with a reservation of processors and returns the promises
// that are broken, by workload.
func (v *verifier) verify(tree *cgroup.Tree, plan qos.Plan, shares []qos.Share, now time.Time) (broken []qos.Broken) {
	last, starved := v.last, v.starved
	v.last, v.starved = map[string]measured{}, map[string]starving{}
	groups := map[string]string{}
	for i := range plan.Workloads {
		groups[plan.Workloads[i].Name] = plan.Workloads[i].Cgroup
	}
	for _, s := range shares {
		if s.Reserved == 0 {
			continue
		}
		usage, ok := tree.Usage(groups[s.Workload])
		if !ok {
			continue
		}
		m := measured{groups[s.Workload], now, usage}
		before, known := last[s.Workload]
		if known && before.cgroup == m.cgroup && now.Sub(before.at) < leastInterval {
			v.last[s.Workload], v.starved[s.Workload] = before, starved[s.Workload] // too soon to tell
			if b := starved[s.Workload].Broken; b != nil {
				broken = append(broken, *b)
			}
			continue
		}
		if v.last[s.Workload] = m; !known || before.cgroup != m.cgroup {
			continue
		}
		got, short := qos.Starved(before.usage, m.usage, m.at.Sub(before.at).Microseconds(), s.Reserved)
		if !short {
			continue
		}
		state := starved[s.Workload]
		state.Starving = state.Next(func() *qos.Broken {
			return &qos.Broken{Workload: s.Workload, Promise: qos.ReservedCPU, Reserved: s.Reserved, Got: got,
				By: took(state.rivals, tree.Rivals(m.cgroup), now.Sub(state.since))}
		})
		if state.Ends() {
			state.since, state.rivals = now, tree.Rivals(m.cgroup)
		}
		v.starved[s.Workload] = state
		if state.Broken != nil {
			broken = append(broken, *state.Broken)
		}
	}
	return broken
}

// took lists who used most meanwhile.
func took(before, after map[string]int64, passed time.Duration) (all []qos.Took) {
	for who, n := range after {
		if was, known := before[who]; known && passed > 0 {
			all = append(all, qos.Took{Who: who, Amount: (n - was) * 1000 / max(1, passed.Microseconds())})
		}
	}
	return qos.Takers(all, 0)
}

// verifyMemory returns the promises of memory that are broken. It reads nothing for that but what the standings have; fresh
// says which were measured in this turn.
func (v *verifier) verifyMemory(standings []qos.Standing, host, system int64, fresh []bool) []qos.Broken {
	seen := make([]qos.Holding, len(standings))
	for i := range standings {
		seen[i] = standings[i].HoldingOfMemory()
		seen[i].Stale = !fresh[i]
	}
	return v.memory.next(qos.ReservedMemory, seen, func() []qos.Took {
		machine, err := cgroup.ReadMachine()
		if err != nil {
			return nil
		}
		rest := host - machine.Free - system
		for _, h := range seen {
			rest -= h.Got
		}
		return []qos.Took{{Who: "everything that is not in the plan", Amount: rest}}
	})
}

// verifyDisks does the same for disks, with what was measured for those who leave them to others.
func (v *verifier) verifyDisks(standings []qos.Standing, f *follower, now time.Time) []qos.Broken {
	if f.last != nil && !f.last.at.Equal(now) {
		return v.disks.broken
	}
	var seen []qos.Holding
	for i := range standings {
		if use, measured := f.disks[standings[i].Workload]; measured {
			seen = append(seen, standings[i].HoldingOfDisks(use))
		}
	}
	return v.disks.next(qos.ReservedDisk, seen, nobody)
}

// verifyNetwork does the same for what the classes of an uplink have sent, nil for no uplink.
func (v *verifier) verifyNetwork(plan qos.Plan, u *qos.Uplink, sent map[uint16]qos.Sent, now time.Time) []qos.Broken {
	passed := now.Sub(v.sentAt)
	if passed >= 0 && passed < leastLook && u != nil {
		return v.network.broken
	}
	var seen []qos.Holding
	if u != nil {
		seen = u.Holdings(plan, v.sent, sent, passed.Microseconds())
	}
	v.sent, v.sentAt = sent, now
	return v.network.next(qos.ReservedNetwork, seen, nobody)
}

// nobody is the rest where all that counts is measured, or nothing else can be.
func nobody() []qos.Took { return nil }

func (w *watched) next(promise string, seen []qos.Holding, rest func() []qos.Took) []qos.Broken {
	w.watch, w.broken = w.watch.Next(promise, seen, rest)
	return w.broken
}

// logBroken logs once that a promise is broken, and that it holds again.
func (a *agent) logBroken(next Report) {
	has := func(list []qos.Broken, b qos.Broken) bool {
		return slices.ContainsFunc(list, func(o qos.Broken) bool { return o.Workload == b.Workload && o.Promise == b.Promise })
	}
	for _, b := range next.Broken {
		if !has(a.report.Broken, b) {
			a.cfg.Log.Error("broken-promise", "workload", b.Workload, "promise", b.Promise, "reserved", b.Format(b.Reserved), "got", b.Format(b.Got), "takenBy", b.By)
		}
	}
	for _, b := range a.report.Broken {
		if !has(next.Broken, b) {
			a.cfg.Log.Info("promise holds again", "workload", b.Workload, "promise", b.Promise)
		}
	}
}

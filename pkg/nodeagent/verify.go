//go:build linux

package nodeagent

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

const (
	turnsToBreak = 3 // passes in a row in which a workload starves
	mostTakers   = 3 // of those that are named
)

// verifier looks whether workloads get what is reserved for them, whatever was written.
type verifier struct {
	last    map[string]measured // by workload
	starved map[string]starving
}

type measured struct {
	cgroup string
	at     time.Time
	usage  qos.Usage
}

// starving is a workload that starves: since how many turns, what its rivals had used when
// the last one began, and the promise once it counts as broken.
type starving struct {
	turns  int
	since  time.Time
	rivals map[string]int64
	broken *qos.Broken
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
			if b := starved[s.Workload].broken; b != nil {
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
		state.turns++
		switch {
		case state.turns == turnsToBreak-1:
			state.since, state.rivals = now, tree.Rivals(m.cgroup)
		case state.turns >= turnsToBreak && state.broken == nil:
			state.broken = &qos.Broken{Workload: s.Workload, Promise: "cpu.reserved", Reserved: s.Reserved, Got: got,
				By: took(state.rivals, tree.Rivals(m.cgroup), now.Sub(state.since))}
		}
		v.starved[s.Workload] = state
		if state.broken != nil {
			broken = append(broken, *state.broken)
		}
	}
	return broken
}

// took lists who used most meanwhile.
func took(before, after map[string]int64, passed time.Duration) (all []qos.Took) {
	for who, n := range after {
		if was, known := before[who]; known && n > was && passed > 0 {
			all = append(all, qos.Took{Who: who, CPU: (n - was) * 1000 / max(1, passed.Microseconds())})
		}
	}
	slices.SortFunc(all, func(a, b qos.Took) int { return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.Who, b.Who)) })
	return all[:min(len(all), mostTakers)]
}

// logBroken logs once that a promise is broken, and that it holds again.
func (a *agent) logBroken(next Report) {
	named := func(list []qos.Broken, name string) bool {
		return slices.ContainsFunc(list, func(b qos.Broken) bool { return b.Workload == name })
	}
	for _, b := range next.Broken {
		if !named(a.report.Broken, b.Workload) {
			a.cfg.Log.Error("broken-promise", "workload", b.Workload, "promise", b.Promise, "reservedMilliCPU", b.Reserved, "gotMilliCPU", b.Got, "takenBy", b.By)
		}
	}
	for _, b := range a.report.Broken {
		if !named(next.Broken, b.Workload) {
			a.cfg.Log.Info("promise holds again", "workload", b.Workload, "promise", b.Promise)
		}
	}
}

package qos

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

const (
	leastDisk  = 256 << 10  // bytes in a second that are left to each workload on each disk
	pressDisks = 2 * second // between two falls: what waits on a disk takes a while to be served
	calmDisks  = 5 * second // after the last change, until disks are given back a step
	waitsLong  = 2000       // 20 % of the time: who has a reservation and no target for accesses waits too long
)

// DiskUse is what one workload did with disks, and how much it waited for them.
type DiskUse struct {
	Bytes    int64 // in a second, read and written
	Accesses int64 // in a second
	Waited   int64 // hundredths of a percent of the time in which some thread waited for a disk
}

// throttle is what the workloads that yield may read and write together on each disk.
type throttle struct {
	most  int64 // bytes in a second, 0: no bound
	was   int64 // what they did before the first bound
	fall  int64 // moments from which on it may fall, and rise
	rise  int64
	cause string // of the last change
}

// delay is how much longer than it should somebody waits for disks.
type delay int

const (
	short   delay = iota // less than three quarters of that: disks may be given back
	between              // neither: nothing changes
	long
)

// Yields reports whether any workload of the plan leaves disks to others while these wait for them.
func (p Plan) Yields() bool {
	return slices.ContainsFunc(p.Workloads, func(w Workload) bool { return w.Profile.IO.Yield })
}

// Waits reports whether others that yield leave disks to a workload: it has a target for accesses, or a reservation.
func (w *Workload) Waits() bool {
	return !w.Profile.IO.Yield && (w.Profile.IO.Latency > 0 || !w.Reserved.IsZero())
}

// yield bounds what workloads that yield read and write while somebody waits too long for a disk: half of what they did, and
// half again each two seconds. When nobody does any more, they have a quarter more each five seconds, and no bound
// once they may do twice what they did before. While they hardly do anything, they are not the cause.
func (r Reaction) yield(plan Plan, host Host, load Load) (map[string]Bound, throttle) {
	var giving []*Workload
	var used int64
	for i := range plan.Workloads {
		if w := &plan.Workloads[i]; w.Profile.IO.Yield {
			giving = append(giving, w)
			used += load.Disks[w.Name].Bytes
		}
	}
	if len(giving) == 0 || len(host.Disks) == 0 {
		return nil, throttle{}
	}
	least := leastDisk * int64(len(giving))
	t := r.disks
	waits, cause := load.waits(plan, host)
	switch {
	case waits == long && load.At >= t.fall && t.most == 0 && used > least:
		t = throttle{max(used/2, least), used, load.At + pressDisks, load.At + calmDisks, cause}
	case waits == long && load.At >= t.fall && t.most > least:
		t.most, t.fall, t.rise, t.cause = max(t.most/2, least), load.At+pressDisks, load.At+calmDisks, cause
	case waits == long && t.most > 0:
		t.rise = max(t.rise, load.At+calmDisks)
	case waits == short && load.At >= t.rise && t.most > 0:
		t.most, t.rise = t.most+t.most/4, load.At+calmDisks
		if t.most > 2*t.was {
			t = throttle{}
		}
	}
	if t.most == 0 {
		return nil, t
	}
	bounds := map[string]Bound{}
	for i, n := range among(giving, t.most, leastDisk, maxMemory, func(w *Workload) (used, bound int64) {
		return load.Disks[w.Name].Bytes, r.Ceilings[w.Name].Disk.Most
	}) {
		bounds[giving[i].Name] = Bound{n, fmt.Sprintf("%s, and %d workloads that yield may read and write %s in a second", t.cause, len(giving), kibibytes(t.most))}
	}
	return bounds, t
}

// waits says how long those that others yield to wait for disks, and who waits too long. Without a target, who
// does what is reserved for it on disks does not wait, whatever else it wants.
func (l Load) waits(plan Plan, host Host) (most delay, cause string) {
	refused := refusedDisks(plan, host)
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		use, measured := l.Disks[w.Name]
		if !w.Waits() || !measured {
			continue
		}
		waits, wanted, say := use.Waited, int64(waitsLong), ""
		reserved := w.disk()
		switch {
		case w.Profile.IO.Latency == 0 && reserved > 0 && refused[i] == "":
			if use.Bytes >= reserved {
				continue
			}
			say = fmt.Sprintf("%s waits for disks and does %s in a second of the %s that are reserved", w.Name, kibibytes(use.Bytes), kibibytes(reserved))
		case w.Profile.IO.Latency == 0:
			say = fmt.Sprintf("%s waits for disks for %d %% of the time", w.Name, waits/100)
		default:
			each := use.Waited * 100 / max(1, use.Accesses) // a hundredth of a percent of a second is 100 microseconds
			waits, wanted = each, w.Profile.IO.Latency*1000
			say = fmt.Sprintf("%s waits %s for an access, and %d ms are wanted", w.Name, time.Duration(each)*time.Microsecond, w.Profile.IO.Latency)
		}
		switch {
		case waits > wanted:
			return long, say
		case waits > wanted/4*3:
			most = between
		}
	}
	return most, ""
}

func kibibytes(n int64) string { return model.FormatAmount("memory", n>>10<<10) }

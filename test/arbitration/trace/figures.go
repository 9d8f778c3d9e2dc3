package trace

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// Figures are what a replay has led to.
type Figures struct {
	Setting      Setting
	Applications int
	Rejected     int // never fit: their minimum is more than any pool has
	Stuck        int // wait in the end, with nobody else there
	Admitted     int // counted again after an eviction
	Lessened     int // of those, how many with less than they ask for
	Evicted      int
	Reduced      int
	Raised       int
	Passes       int

	GPUs      int64   // thousandths
	Days      []Day   // one for each day of the trace
	Use       float64 // of the GPUs, over the whole time
	UseShort  float64 // of the GPUs, while something waits
	JainShort float64 // between tenants that have something waiting, while there are at least two
	Waited    map[string]Wait
	Kept      int // started when they were told, or sooner
	Later     int // started later than they were told
	Overtaken int // were told, and then another one was the first of their line

	promised map[model.AppID]time.Time
	capacity model.Resources
	times    []time.Duration // of Decide
	gpuTime  float64
	seconds  float64
	short    struct{ seconds, gpuTime float64 }
	jain     struct{ seconds, sum float64 }
	waits    map[model.AppID]int64
	classes  map[model.AppID]string
}

// Day is the mean of a day, in GPUs.
type Day struct {
	Wanted, Used float64
	seconds      float64
}

// Wait is how long the applications of a class waited, in seconds.
type Wait struct{ Mean, P95, Most int64 }

func tenantName(i int) string { return fmt.Sprintf("tenant-%d", i) }

func newFigures(s Setting, w *world.World) *Figures {
	f := &Figures{Setting: s, waits: map[model.AppID]int64{}, classes: map[model.AppID]string{}, promised: map[model.AppID]time.Time{}}
	for _, p := range w.Seen.Pools {
		f.capacity = f.capacity.Add(p.Capacity)
	}
	f.GPUs = f.capacity.Devices[GPU]
	return f
}

// observe adds up what holds for some seconds from now.
func (f *Figures) observe(r *replay, seconds int64) {
	if seconds == 0 {
		return
	}
	s := float64(seconds)
	var used, wanted int64
	held := map[string]model.Resources{}
	waiting := map[string]bool{}
	for i := range r.world.Ledger.Instances {
		inst := &r.world.Ledger.Instances[i]
		j := r.jobs[inst.App]
		f.classes[inst.App] = j.QoS
		wanted += j.Requests.Devices[GPU] * int64(j.Replicas)
		if inst.Phase.Active() {
			holds := r.world.Holds(inst.App)
			used += holds.Devices[GPU]
			held[inst.App.Tenant] = held[inst.App.Tenant].Add(holds)
		} else {
			waiting[inst.App.Tenant] = true
			f.waits[inst.App] += seconds
		}
	}
	f.seconds += s
	f.gpuTime += s * float64(used)
	if len(waiting) > 0 {
		f.short.seconds += s
		f.short.gpuTime += s * float64(used)
	}
	if len(waiting) > 1 {
		f.jain.seconds += s
		f.jain.sum += s * f.fairness(held, waiting)
	}
	f.day(r.now, s, float64(wanted)/1000, float64(used)/1000)
}

// day adds to the days that the time from now on belongs to.
func (f *Figures) day(now int64, seconds, wanted, used float64) {
	for seconds > 0 {
		n := int(now / 86400)
		for len(f.Days) <= n {
			f.Days = append(f.Days, Day{})
		}
		part := min(seconds, float64(86400-now%86400))
		d := &f.Days[n]
		d.Wanted += wanted * part
		d.Used += used * part
		d.seconds += part
		now, seconds = now+int64(part), seconds-part
	}
}

// fairness is Jain's index of the dominant shares of some tenants, all of weight 1:
// 1 where all have the same, 1/n where one has everything.
func (f *Figures) fairness(held map[string]model.Resources, tenants map[string]bool) float64 {
	var sum, squares float64
	for i := range Tenants { // floats add up differently in another order
		t := tenantName(i)
		if !tenants[t] {
			continue
		}
		share := 0.0
		for _, name := range f.capacity.Names() {
			share = max(share, float64(held[t].Get(name))/float64(f.capacity.Get(name)))
		}
		sum += share
		squares += share * share
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / float64(len(tenants)) / squares
}

func (f *Figures) count(ruling model.Ruling, c world.Changes) {
	f.Passes++
	f.Admitted += len(c.Admitted)
	f.Evicted += len(c.Evicted)
	f.Reduced += len(c.Reduced)
	f.Raised += len(c.Raised)
	for _, d := range ruling.Decisions {
		switch {
		case d.Verdict == model.VerdictRejected:
			f.Rejected++
		case d.Degraded && slices.Contains(c.Admitted, d.App):
			f.Lessened++
		}
	}
}

func (f *Figures) finish() {
	f.Use = f.gpuTime / f.seconds / float64(f.GPUs)
	if f.short.seconds > 0 {
		f.UseShort = f.short.gpuTime / f.short.seconds / float64(f.GPUs)
	}
	f.JainShort = 1
	if f.jain.seconds > 0 {
		f.JainShort = f.jain.sum / f.jain.seconds
	}
	for i := range f.Days {
		if d := &f.Days[i]; d.seconds > 0 {
			d.Wanted, d.Used = d.Wanted/d.seconds, d.Used/d.seconds
		}
	}
	f.Waited = map[string]Wait{}
	for class := range priorities {
		var all []int64
		var sum int64
		for id, c := range f.classes {
			if c == class {
				all, sum = append(all, f.waits[id]), sum+f.waits[id]
			}
		}
		if len(all) > 0 {
			slices.Sort(all)
			f.Waited[class] = Wait{Mean: sum / int64(len(all)), P95: all[(len(all)-1)*95/100], Most: all[len(all)-1]}
		}
	}
	slices.Sort(f.times)
}

// CPU returns the median and the 99th percentile of the processor time of a pass.
func (f *Figures) CPU() (p50, p99, most time.Duration) {
	n := len(f.times) - 1
	return f.times[n/2], f.times[n*99/100], f.times[n]
}

package trace

import (
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// Setting is how a trace is replayed.
type Setting struct {
	// Capacity is how many hundredths of the GPUs of the highest demand there
	// are. All pools are as large as in the trace, times one factor.
	Capacity int
	// Jobs is after how many jobs the replay ends, 0: all.
	Jobs int
	// Line, if it is not "", has all jobs wait in one line: one tenant, one class, no ladder, and nobody gives way.
	Line Line
}

// tick is how often arbitration looks while something waits or is degraded.
const tick = 30 * 60

// Replay lets the jobs of a trace arrive, run for as long as they did, and end. A
// job that waits or is evicted runs later, for as long as is left of it.
func (t *Trace) Replay(s Setting) *Figures {
	runtime.LockOSThread() // whose processor time is measured
	defer runtime.UnlockOSThread()
	jobs := t.Jobs
	if s.Jobs > 0 {
		jobs = jobs[:min(s.Jobs, len(jobs))]
	}
	r := &replay{world: t.world(s), left: map[model.AppID]int64{}, jobs: map[model.AppID]*Job{}}
	r.figures = newFigures(s, r.world)
	idle := 0 // passes in a row in which nothing runs and nothing comes any more
	for next := 0; (next < len(jobs) || len(r.jobs) > 0) && idle < 8; {
		at := r.nextEnd()
		if idle++; at != math.MaxInt64 || next < len(jobs) {
			idle = 0
		}
		if r.unsettled {
			at = min(at, r.now+tick)
		}
		if next < len(jobs) {
			at = min(at, jobs[next].Arrives)
		}
		if at == math.MaxInt64 {
			break
		}
		r.pass(at)
		for ; next < len(jobs) && jobs[next].Arrives == at; next++ {
			r.arrive(&jobs[next])
		}
		r.decide()
	}
	r.figures.Stuck = len(r.jobs)
	r.figures.finish()
	return r.figures
}

// replay is the state of the cluster of the trace at one moment.
type replay struct {
	world     *world.World
	now       int64
	jobs      map[model.AppID]*Job  // that have arrived and not ended
	left      map[model.AppID]int64 // seconds that each still has to run
	unsettled bool                  // something waits or is degraded
	figures   *Figures
}

// nextEnd is when the first of those that run ends.
func (r *replay) nextEnd() int64 {
	at := int64(math.MaxInt64)
	for i := range r.world.Ledger.Instances {
		if inst := &r.world.Ledger.Instances[i]; inst.Phase.Active() {
			at = min(at, r.now+r.left[inst.App])
		}
	}
	return at
}

// pass lets time go by, and what has run long enough end.
func (r *replay) pass(at int64) {
	seconds := at - r.now
	r.figures.observe(r, seconds)
	var ended []model.AppID
	for i := range r.world.Ledger.Instances {
		inst := &r.world.Ledger.Instances[i]
		if !inst.Phase.Active() {
			continue
		}
		if r.left[inst.App] -= seconds; r.left[inst.App] <= 0 {
			ended = append(ended, inst.App)
		}
	}
	for _, id := range ended {
		delete(r.jobs, id)
		delete(r.left, id)
	}
	r.world.Remove(ended...)
	r.now = at
	r.world.Now = world.Start.Add(time.Duration(at) * time.Second)
}

func (r *replay) arrive(j *Job) {
	if r.figures.Setting.Line != "" {
		r.join(j)
		return
	}
	r.jobs[j.ID], r.left[j.ID] = j, j.Lasts
	app := generate.App(j.ID.Tenant, j.ID.Name, priorities[j.QoS], j.Replicas, j.Requests, &r.world.Fleet.Platform.Policy)
	if j.Replicas > 1 {
		app.Components[0].Degrade = &model.Degrade{MinReplicas: (j.Replicas + 1) / 2}
	}
	r.world.Declare(app)
	r.figures.Applications++
}

// priorities of the classes of the trace, in the bands production, standard and batch.
var priorities = map[string]int{"Guaranteed": 700, "LS": 600, "Burstable": 300, "BE": 50}

func (r *replay) decide() {
	began := processor()
	ruling := r.world.Decide()
	r.figures.times = append(r.figures.times, processor()-began)
	changes := r.world.Apply(ruling)
	r.figures.count(ruling, changes)
	r.figures.keep(ruling, changes, r.world.Now)
	r.unsettled = slices.ContainsFunc(ruling.Decisions, func(d model.Decision) bool {
		return d.Verdict == model.VerdictWaiting || d.Verdict == model.VerdictEvicted || d.Degraded
	})
	var refused []model.AppID // for ever: the pools do not grow
	for _, d := range ruling.Decisions {
		if d.Verdict == model.VerdictRejected {
			refused = append(refused, d.App)
			delete(r.jobs, d.App)
			delete(r.left, d.App)
		}
	}
	r.world.Remove(refused...)
}

// world has the pools and tenants of a setting.
func (t *Trace) world(s Setting) *world.World {
	policy := generate.Policy("any")
	policy.Strategy = "bin-pack"
	policy.MinRuntime, policy.RestoreHold, policy.ReserveAfter = 10*time.Minute, 10*time.Minute, time.Hour
	if s.Line != "" {
		policy.Preemption = "none"
		if s.Line == InOrder {
			policy.Backfill = model.BackfillOff
		}
	}
	w := world.New(model.Platform{Name: "openb", Policy: policy, Bands: generate.Bands})
	gpus := model.Resources{}
	for _, p := range t.Pools {
		gpus = gpus.Add(p.Capacity)
	}
	part, of := t.peak()*int64(s.Capacity)/100, gpus.Devices[GPU]
	all := model.Resources{}
	for _, p := range t.Pools {
		p.Nodes = max(1, int(int64(p.Nodes)*part/of))
		p.Capacity = amount(p.Capacity.CPU*part/of, (p.Capacity.Memory>>20)*part/of, p.Capacity.Devices[GPU]*part/of)
		all = all.Add(p.Capacity)
		w.AddPool(p)
	}
	if s.Line != "" {
		w.Fleet.Tenants = []model.Tenant{{Name: tenantName(0), Weight: 1, PriorityCeiling: 1000, Policy: policy}}
		return w
	}
	for i := range Tenants {
		w.Fleet.Tenants = append(w.Fleet.Tenants, model.Tenant{
			Name: tenantName(i), Weight: 1, PriorityCeiling: 1000, Policy: policy,
			Guarantee: amount(all.CPU/(2*Tenants), (all.Memory>>20)/(2*Tenants), all.Devices[GPU]/(2*Tenants)),
		})
	}
	return w
}

// peak is the most GPUs, in thousandths, that all jobs together want at one time
// if each runs when it arrives.
func (t *Trace) peak() (most int64) {
	changes := map[int64]int64{}
	for _, j := range t.Jobs {
		gpu := j.Requests.Devices[GPU] * int64(j.Replicas)
		changes[j.Arrives] += gpu
		changes[j.Arrives+j.Lasts] -= gpu
	}
	times := make([]int64, 0, len(changes))
	for at := range changes {
		times = append(times, at)
	}
	slices.Sort(times)
	var now int64
	for _, at := range times {
		now += changes[at]
		most = max(most, now)
	}
	return most
}

// processor is the processor time of this thread.
func processor() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // cannot fail with these arguments
	}
	return time.Duration(t.Nano())
}

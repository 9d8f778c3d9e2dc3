package qos

import (
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// disksController decides weights, ceilings and targets on block devices.
var disksController = Controller{name: "io", knobs: map[string]Knob{
	"io.weight":                        {Version: V2, Default: "default 100"},
	"io.max":                           {Version: V2, none: "rbps=max wbps=max riops=max wiops=max"},
	"io.latency":                       {Version: V2, none: "target=0"},
	"io.cost.model":                    {Version: V2, Root: true, none: "ctrl=auto"},
	"io.cost.qos":                      {Version: V2, Root: true, none: "enable=0 ctrl=auto"},
	"blkio.throttle.read_bps_device":   {Version: V1, none: "0"},
	"blkio.throttle.write_bps_device":  {Version: V1, none: "0"},
	"blkio.throttle.read_iops_device":  {Version: V1, none: "0"},
	"blkio.throttle.write_iops_device": {Version: V1, none: "0"},
}, decide: func(r *decision) {
	version := r.Host.Controllers["io"]
	if r.Plan.WeighsDisks() {
		r.costs()
	}
	for _, w := range r.Plan.Workloads {
		p := w.Profile.IO
		switch {
		case p.Weight == 0:
		case version == V2:
			r.set(w.Name, w.Cgroup, "io.weight", "default "+strconv.FormatInt(p.Weight, 10))
			switch {
			case slices.Contains(r.Host.Lacks, "io.cost.qos"):
				r.degrade(w.Name, "io.weight", "none", "this kernel was built without iocost (CONFIG_BLK_CGROUP_IOCOST), by which weights act")
			case slices.Contains(r.Host.Lacks, "iocost"):
				r.degrade(w.Name, "io.weight", "none", "weights act by iocost, which is off for every disk: say what one can do (--disk-cost)")
			}
		default:
			r.degrade(w.Name, "io.weight", "none", "no io controller of cgroup v2")
		}
		most := r.Ceilings[w.Name].Disk
		p.Read, p.Write = model.Bytes(most.under(int64(p.Read))), model.Bytes(most.under(int64(p.Write)))
		w.Profile.IO = p
		bounded := p.Read+p.Write > 0 || p.ReadOps+p.WriteOps > 0
		switch {
		case !bounded && p.Latency == 0 && !p.Yield:
		case version == Absent:
			r.degrade(w.Name, "io.max", "none", "the io controller is not available")
		case len(r.Host.Disks) == 0:
			r.degrade(w.Name, "io.max", "none", "the host has no disk of its own")
		case version == V1:
			r.throttle(w)
			r.yield(w)
		default:
			if bounded {
				r.each(w, "io.max", "rbps="+orMax(int64(p.Read))+" wbps="+orMax(int64(p.Write))+" riops="+orMax(p.ReadOps)+" wiops="+orMax(p.WriteOps))
			}
			r.latency(w)
			r.yield(w)
		}
	}
	for i, reason := range refusedDisks(r.Plan, r.Host) {
		if w := &r.Plan.Workloads[i]; reason != "" {
			r.reduce(w.Name, "disk.reserved", "none", reason, model.Resources{}.With(model.DiskResource, w.disk()), model.Resources{})
		}
	}
}}

// reservedDisks is the part of a disk that may be reserved: how fast it is depends on what is asked of it.
const reservedDisks model.Percent = 80

// refusedDisks says of each workload with a reservation of disks why it is not kept, "" if it is, or if there is none.
func refusedDisks(plan Plan, host Host) []string {
	claims := plan.claims(func(w *Workload) model.Resources { return model.Resources{}.With(model.DiskResource, w.disk()) })
	lacks := ""
	switch {
	case host.Controllers["io"] == Absent:
		lacks = "the io controller is not available"
	case len(host.Disks) == 0:
		lacks = "the host has no disk of its own"
	case host.DiskRate == 0:
		lacks = "the agent was not told what each disk can do (--disk-rate)"
	case slices.Contains(host.Lacks, "io.pressure"):
		lacks = untoldWaits("disks")
	case !plan.Yields():
		lacks = "nobody here leaves disks to others: give a profile io.yield"
	}
	if lacks == "" {
		return Admit(claims, model.Resources{}.With(model.DiskResource, reservedDisks.Of(host.DiskRate)), "each disk")
	}
	refused := make([]string, len(claims))
	for i := range claims {
		if plan.Workloads[i].disk() > 0 {
			refused[i] = lacks
		}
	}
	return refused
}

// untoldWaits says why nobody knows who waits for a resource.
func untoldWaits(resource string) string {
	return "the kernel does not tell who waits for " + resource + ": it needs pressure files (psi=1) and cgroup v2"
}

func (w *Workload) disk() int64 { return w.Reserved.Get(model.DiskResource) }

// yield says where nobody can be told to wait, so that nothing is left to others.
func (r *decision) yield(w Workload) {
	if w.Profile.IO.Yield && slices.Contains(r.Host.Lacks, "io.pressure") {
		r.degrade(w.Name, "io.yield", "none", untoldWaits("disks"))
	}
}

// throttle bounds on v1, where a write that goes through the page cache is nobody's.
func (r *decision) throttle(w Workload) {
	p := w.Profile.IO
	for _, bound := range []struct {
		file string
		most int64
	}{
		{"blkio.throttle.read_bps_device", int64(p.Read)}, {"blkio.throttle.write_bps_device", int64(p.Write)},
		{"blkio.throttle.read_iops_device", p.ReadOps}, {"blkio.throttle.write_iops_device", p.WriteOps},
	} {
		if bound.most > 0 {
			r.each(w, bound.file, strconv.FormatInt(bound.most, 10))
		}
	}
	if p.Write > 0 || p.WriteOps > 0 || p.Yield {
		r.degrade(w.Name, "io.write", "blkio.throttle", "cgroup v1 bounds direct writes only, not those of the page cache")
	}
	if p.Latency > 0 {
		r.degrade(w.Name, "io.latency", "none", "cgroup v1 has no such knob")
	}
}

func (r *decision) latency(w Workload) {
	switch n := w.Profile.IO.Latency; {
	case n == 0:
	case slices.Contains(r.Host.Lacks, "io.latency"):
		r.degrade(w.Name, "io.latency", "none", "this kernel was built without it (CONFIG_BLK_CGROUP_IOLATENCY)")
	default:
		r.each(w, "io.latency", "target="+strconv.FormatInt(n*1000, 10))
	}
}

// each sets the same for every disk.
func (r *decision) each(w Workload, file, value string) {
	lines := make([]string, len(r.Host.Disks))
	for i, disk := range r.Host.Disks {
		lines[i] = disk + " " + value
	}
	r.set(w.Name, w.Cgroup, file, Normal(file, strings.Join(lines, "\n")))
}

func orMax(n int64) string {
	if n == 0 {
		return "max"
	}
	return strconv.FormatInt(n, 10)
}

// WeighsDisks reports whether any workload has a weight on disks.
func (p Plan) WeighsDisks() bool {
	return slices.ContainsFunc(p.Workloads, func(w Workload) bool { return w.Profile.IO.Weight > 0 })
}

// BoundsDisks reports whether any workload has ceilings or a target for disks.
func (p Plan) BoundsDisks() bool {
	return slices.ContainsFunc(p.Workloads, func(w Workload) bool {
		io := w.Profile.IO
		io.Weight = 0
		return io != model.QoSIO{} || w.disk() > 0
	})
}

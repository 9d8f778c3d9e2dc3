package qos

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// uplinkController divides what a node sends. Workloads of one profile share a class, and one with a
// reservation has a class of its own; everything else is in the class of the system. What
// one class does not send, others may, those of a lower priority first.
var uplinkController = Controller{name: "network", decide: func(r *decision) {
	if !slices.ContainsFunc(r.Plan.Workloads, func(w Workload) bool { return w.sends() }) {
		return
	}
	link := r.Host.Link
	switch {
	case link.Device == "":
		r.unshaped("the agent was given no interface to shape (--network)")
	case link.Lacks != "":
		r.unshaped(link.Lacks)
	default:
		r.shape()
	}
}}

// Uplink is how a node shares what it sends.
type Uplink struct {
	Device  string  `json:"device"`
	Rate    int64   `json:"rate"`            // bits in a second that all classes send together at most
	Classes []Class `json:"classes"`         // the system first, then by name
	Paces   bool    `json:"paces,omitempty"` // packets have a time to leave, and no class borrows
}

// Class is a part of an uplink.
type Class struct {
	Name     string   `json:"name"` // of a profile or of a workload, or system
	Minor    uint16   `json:"minor"`
	Rate     int64    `json:"rate"` // bits in a second that it has whatever others send
	Ceil     int64    `json:"ceil"` // bits in a second that it has at most
	Priority int      `json:"priority"`
	Cgroups  []string `json:"cgroups,omitempty"` // whose traffic it is; of the system: all others'
}

// The numbers of classes. Those above follow from the name, so that they stay when others go.
const (
	WholeMinor  = 1 // the class around all others
	SystemMinor = 2 // of traffic that is nobody's
	firstMinor  = 16
	minors      = 0xff00
)

// Of a link so much is shaped: above it the queue is in the network card, where nobody is
// served first. Reservations have at most so much of that, because shares are of the rest.
const (
	shapedPercent   model.Percent = 95
	reservedPercent model.Percent = 90
	systemShare     model.Percent = 5
	systemPriority                = 2
	leastRate                     = 8_000
)

// sends reports whether anything is promised to a workload, or asked of it, about what it sends.
func (w *Workload) sends() bool {
	n := w.Profile.Network
	return w.Cgroup != "" && !w.Hold && (n.Share > 0 || n.Ceiling > 0 || w.bits() > 0)
}

func (w *Workload) bits() int64 { return w.Reserved.Get(model.NetworkResource) }

// unshaped says that no promise about traffic is kept.
func (r *decision) unshaped(reason string) {
	r.degrade("", "network.share", "none", reason)
	for i := range r.Plan.Workloads {
		if w := &r.Plan.Workloads[i]; w.bits() > 0 {
			r.unreserved(w, "none", reason)
		}
	}
}

func (r *decision) unreserved(w *Workload, instead, reason string) {
	r.reduce(w.Name, "network.reserved", instead, reason, model.Resources{}.With(model.NetworkResource, w.bits()), model.Resources{})
}

// shape makes the classes of what is sent.
func (r *decision) shape() {
	whole := shapedPercent.Of(r.Host.Link.Rate)
	own := r.admitBits(whole)
	classes := map[string]*Class{}
	free, promised := whole, systemShare
	for i := range r.Plan.Workloads {
		w := &r.Plan.Workloads[i]
		if !w.sends() {
			continue
		}
		p := w.Profile.Network
		if reason := r.untold(w.Cgroup); reason != "" && own[i] {
			r.unreserved(w, "none", reason)
			continue
		} else if reason != "" {
			r.degrade(w.Name, "network.share", "none", reason)
			continue
		}
		key, name, rate := "profile "+w.Profile.Name, w.Profile.Name, int64(0)
		switch {
		case own[i]:
			key, name, rate = "workload "+w.Name, w.Name, w.bits()
			free -= rate
		case p.Share == 0 && p.Ceiling == 0: // its reservation is refused, and nothing else is said
			continue
		}
		c := classes[key]
		if c == nil {
			c = &Class{Name: name, Rate: rate, Ceil: cmp.Or(p.Ceiling, 100).Of(whole), Priority: p.Priority}
			if p.Share == 0 { // who promises nothing is not served first
				c.Priority = max(c.Priority, systemPriority)
			}
			classes[key] = c
			if !own[i] {
				promised += p.Share
			}
		}
		c.Cgroups = append(c.Cgroups, w.Cgroup)
	}
	if promised > 100 {
		r.degrade("", "network.share", "network.share", fmt.Sprintf("the profiles here and the system promise %d %% together: each has less by the same factor", promised))
	}
	part := func(share model.Percent) int64 {
		return max(leastRate, Part(free, int64(share), int64(max(100, promised))))
	}
	for i := range r.Plan.Workloads {
		w := &r.Plan.Workloads[i]
		if c := classes["profile "+w.Profile.Name]; c != nil {
			c.Rate = part(w.Profile.Network.Share)
		}
	}
	u := &Uplink{Device: r.Host.Link.Device, Rate: whole, Classes: []Class{{Name: "system", Minor: SystemMinor, Rate: part(systemShare), Ceil: whole, Priority: systemPriority}}}
	number(classes)
	for _, c := range classes {
		c.Ceil = max(c.Ceil, c.Rate)
		slices.Sort(c.Cgroups)
		u.Classes = append(u.Classes, *c)
	}
	slices.SortFunc(u.Classes[1:], func(a, b Class) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Minor, b.Minor)) })
	if r.Host.Link.Paces {
		r.pace(u)
	}
	r.out.Uplink = u
}

// untold says why the traffic of a group cannot be told, "" if it can.
func (r *decision) untold(cgroup string) string {
	switch {
	case depth(cgroup) > DeepestTold:
		return fmt.Sprintf("its group is more than %d below the root: what it sends counts as the system's", DeepestTold)
	case slices.Contains(r.Host.Link.Untold, cgroup):
		return "its group is not in cgroup v2, by which the kernel tells whose packets they are: what it sends counts as the system's"
	}
	return ""
}

// admitBits says which workloads have what is reserved for them, by their places.
func (r *decision) admitBits(whole int64) []bool {
	claims := r.Plan.claims(func(w *Workload) model.Resources {
		if !w.sends() {
			return model.Resources{}
		}
		return model.Resources{}.With(model.NetworkResource, w.bits())
	})
	own := make([]bool, len(claims))
	for i, reason := range Admit(claims, model.Resources{}.With(model.NetworkResource, reservedPercent.Of(whole)), r.Host.Link.Device) {
		w := &r.Plan.Workloads[i]
		if own[i] = reason == "" && w.sends() && w.bits() > 0; reason != "" {
			r.unreserved(w, "network.share", reason)
		}
	}
	return own
}

// number gives each class a number that follows from its key. Where two keys give the same,
// the later one has the next that is free.
func number(classes map[string]*Class) {
	taken := map[uint16]bool{}
	for _, key := range slices.Sorted(maps.Keys(classes)) {
		h := fnv.New32a()
		h.Write([]byte(key))
		n := h.Sum32() % minors
		for taken[uint16(firstMinor+n)] {
			n = (n + 1) % minors
		}
		classes[key].Minor = uint16(firstMinor + n)
		taken[classes[key].Minor] = true
	}
}

// Burst is what a class may send at once when it has been quiet: two milliseconds of its
// rate, because timers are no finer under load, and a packet.
func Burst(rate int64) int64 { return rate/8/500 + 1600 }

// Quantum is what a class sends at its turn while several borrow: in proportion to its rate,
// between a packet and what kernels warn of.
func (c *Class) Quantum() int64 { return min(max(c.Rate/8/1000, 1600), 60_000) }

// String writes the figures of a class as they are compared and shown.
func (c *Class) String() string {
	return "rate " + model.FormatBitrate(c.Rate/8*8) + " ceil " + model.FormatBitrate(c.Ceil/8*8) + fmt.Sprintf(" priority %d", c.Priority)
}

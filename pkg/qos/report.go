package qos

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// ReportKind is the kind of a report.
const ReportKind = "NodeReport"

// Limits of a report: many nodes share one object of a cluster.
const (
	MaxReport     = 16 << 10 // bytes
	maxShortfalls = 64
	maxReason     = 400 // bytes
)

// Report is what a node says of its plan: the promises that it does not keep. One that keeps
// all of them has nothing to say.
type Report struct {
	Shortfalls []Shortfall // by workload, resource and setting
	Omitted    int         // shortfalls for which the report had no room
}

// Shortfall is a promise to a workload of the plan that a node does not keep: a reservation,
// or a setting that its kernel refuses.
type Shortfall struct {
	Workload string `json:"workload"`
	Resource string `json:"resource,omitempty"` // that is reserved: cpu, memory, network or disk
	Promised int64  `json:"promised,omitempty"` // milli-CPU, bytes, bits or bytes in a second, of the pod that has least
	Kept     int64  `json:"kept,omitempty"`
	Setting  string `json:"setting,omitempty"` // a knob, the cgroup itself, or [model.SettingEvict]
	Reason   string `json:"reason"`
}

// reservable are the resources that reservations may name.
var reservable = []string{"cpu", "memory", model.NetworkResource, model.DiskResource}

// Reservable returns the resources that reservations may name.
func Reservable() []string { return slices.Clone(reservable) }

// settingCgroup is the setting of a workload that may not have its group.
const settingCgroup = "cgroup"

type reported struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Omitted    int         `json:"omitted,omitempty"`
	Shortfalls []Shortfall `json:"shortfalls"`
}

// ReducedBy returns the reservations that a degradation reduces. Those of the pods of one
// workload have its name.
func (d *Degradation) ReducedBy() (list []Shortfall) {
	for _, resource := range reservable {
		if n := d.Reserved.Get(resource); n > 0 {
			list = append(list, Shortfall{Workload: planned(d.Workload), Resource: resource, Promised: n, Kept: d.Kept.Get(resource),
				Reason: strings.TrimPrefix(d.Reason, reduced)})
		}
	}
	return list
}

// Shortfall returns the reservation that is not got.
func (b *Broken) Shortfall() Shortfall {
	s := Shortfall{Workload: planned(b.Workload), Resource: b.Resource(), Promised: b.Reserved, Kept: b.whole(b.Got)}
	verb := "took"
	switch b.Promise {
	case ReservedMemory:
		s.Reason, verb = "it waits for memory and does not get it", "holds more than its own by"
	case ReservedDisk:
		s.Reason = "it waits for disks and does not get them"
	case ReservedNetwork:
		s.Reason = "its packets wait and are not sent"
	default:
		s.Reason = "it waits for processors and does not get them"
	}
	if len(b.By) > 0 {
		who := b.By[0].Who
		if b.Promise != ReservedCPU { // else it is a group, whose name may have an @ of its own
			who = planned(who)
		}
		s.Reason += "; " + who + " " + verb + " " + b.Format(b.By[0].Amount)
	}
	return s
}

// Shortfall returns that the workload may not have its group.
func (u *Unplaced) Shortfall() Shortfall {
	return Shortfall{Workload: planned(u.Workload), Setting: settingCgroup, Reason: u.Reason}
}

// RefusedSetting returns that a kernel refuses a setting.
func RefusedSetting(s Setting, reason string) Shortfall {
	return Shortfall{Workload: planned(s.Workload), Setting: s.File, Reason: reason}
}

// Shortfall returns that the workload is to end.
func (e *Eviction) Shortfall() Shortfall {
	_, pod, named := strings.Cut(e.Workload, "@")
	s := Shortfall{Workload: planned(e.Workload), Setting: model.SettingEvict, Reason: e.Reason}
	if named {
		s.Reason = "pod " + pod + " has " + mebibytes(e.Memory) + "; " + e.Reason
	}
	return s
}

// planned is the name in the plan of a workload that [Place] named for a pod.
func planned(name string) string {
	name, _, _ = strings.Cut(name, "@")
	return name
}

// NewReport makes a report of shortfalls in any order: of those about one promise to the pods
// of a workload it has the one that has least.
func NewReport(all []Shortfall) (r Report) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Shortfall) int {
		return cmp.Or(a.compare(&b), cmp.Compare(a.Kept, b.Kept), cmp.Compare(a.Promised, b.Promised), cmp.Compare(a.Reason, b.Reason))
	})
	all = slices.CompactFunc(all, func(a, b Shortfall) bool { return a.Same(&b) })
	n := min(len(all), maxShortfalls)
	for i := range all[:n] {
		all[i].Reason = text.Line(all[i].Reason, maxReason)
	}
	r = Report{all[:n], len(all) - n}
	for n > 0 && len(r.Encode()) > MaxReport {
		n--
		r = Report{all[:n], len(all) - n}
	}
	return r
}

func (s *Shortfall) compare(o *Shortfall) int {
	return cmp.Or(cmp.Compare(s.Workload, o.Workload), cmp.Compare(s.Resource, o.Resource), cmp.Compare(s.Setting, o.Setting))
}

// Same reports whether two shortfalls are about one promise.
func (s *Shortfall) Same(o *Shortfall) bool { return s.compare(o) == 0 }

// Encode writes a report that [ParseReport] reads back, "" if there is nothing to say. Equal
// reports are equal texts.
func (r Report) Encode() string {
	if len(r.Shortfalls)+r.Omitted == 0 {
		return ""
	}
	b, _ := json.Marshal(reported{APIVersion, ReportKind, r.Omitted, r.Shortfalls}) // of these types nothing fails
	return string(b)
}

// ParseReport reads a report, which may be from a node that somebody else controls: it bounds
// it, refuses what no agent writes, and makes its texts safe to show.
func ParseReport(document string) (r Report, err error) {
	if len(document) > MaxReport {
		return r, fmt.Errorf("report of %d bytes: at most %d are read", len(document), MaxReport)
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(document)))
	dec.DisallowUnknownFields()
	var doc reported
	if err := dec.Decode(&doc); err != nil {
		return r, fmt.Errorf("report: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("report: one document per node")
	}
	switch {
	case doc.APIVersion != APIVersion || doc.Kind != ReportKind:
		return r, fmt.Errorf("report: apiVersion %.64q, kind %.64q: want %s %s", doc.APIVersion, doc.Kind, APIVersion, ReportKind)
	case len(doc.Shortfalls) > maxShortfalls || doc.Omitted < 0:
		return r, fmt.Errorf("report: %d shortfalls and %d more: at most %d are read", len(doc.Shortfalls), doc.Omitted, maxShortfalls)
	}
	for i := range doc.Shortfalls {
		if err := doc.Shortfalls[i].check(); err != nil {
			return r, fmt.Errorf("report: shortfall %d: %w", i+1, err)
		}
	}
	r = NewReport(doc.Shortfalls)
	r.Omitted += doc.Omitted
	return r, nil
}

// check returns an error unless the shortfall is about a reservation, or about a knob that
// there is.
func (s *Shortfall) check() error {
	_, known := knobs[s.Setting]
	switch {
	case s.Resource == "" && (known || s.Setting == settingCgroup || s.Setting == model.SettingEvict) && s.Promised == 0 && s.Kept == 0:
		return nil
	case slices.Contains(reservable, s.Resource) && s.Setting == "" && 0 <= s.Kept && s.Kept < s.Promised && s.Promised <= maxMemory:
		return nil
	}
	return errors.New("is neither a reservation that is reduced, nor a setting that is refused, nor a workload that is to end")
}

package qos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Limits of a plan document. They are far above what one node can carry and
// keep a hostile document from costing more than a moment.
const (
	MaxDocument  = 1 << 20 // bytes
	maxWorkloads = 4096
	maxProfiles  = 256
	maxErrors    = 20
	maxCPU       = 100_000_000 // milli-CPU
	maxMemory    = 1 << 50     // bytes
	maxCount     = 1_000_000
	maxBitrate   = 10_000_000_000_000 // bits in a second
)

// document is a plan as people and the reconciler write it, in YAML or JSON.
type document struct {
	APIVersion string               `yaml:"apiVersion"`
	Kind       string               `yaml:"kind"`
	Source     string               `yaml:"source"`
	Ledger     string               `yaml:"ledger"`
	Generation int64                `yaml:"generation"`
	System     amounts              `yaml:"system"`
	Omitted    int                  `yaml:"omitted"`
	Profiles   []model.QoSProfile   `yaml:"profiles"`
	Workloads  []documentedWorkload `yaml:"workloads"`
}

type documentedWorkload struct {
	Name     scalar          `yaml:"name"`
	Cgroup   string          `yaml:"cgroup"`
	Source   string          `yaml:"source"`
	Profile  string          `yaml:"profile"`
	Priority int             `yaml:"priority"`
	Hold     bool            `yaml:"hold"`
	CPU      span            `yaml:"cpu"`
	Memory   span            `yaml:"memory"`
	Reserved reservedAmounts `yaml:"reserved"`

	Selectors map[string]yaml.Node `yaml:",inline"` // what is left, by field
}

type span struct{ Request, Limit scalar }

type amounts struct {
	CPU    scalar `yaml:"cpu"`
	Memory scalar `yaml:"memory"`
}

// reservedAmounts are what can be reserved for a workload.
type reservedAmounts struct {
	amounts `yaml:",inline"`
	Network scalar `yaml:"network"`
	Disk    scalar `yaml:"disk"`
}

// scalar keeps the text and the line of a value: quantities may be written as
// numbers or strings, and errors point at them.
type scalar struct {
	text string
	line int
}

func (s *scalar) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return fmt.Errorf("line %d: want a single value", n.Line)
	}
	s.text, s.line = n.Value, n.Line
	return nil
}

// Parse reads a plan document. It refuses unknown fields, unknown profiles, workloads
// that name nothing or several things, cgroups outside the root, two workloads in one
// cgroup or inside each other, and promises that contradict themselves; its error lists
// the problems with their lines.
func Parse(data []byte) (Plan, error) {
	if len(data) > MaxDocument {
		return Plan{}, fmt.Errorf("plan of %d bytes: at most %d are read", len(data), MaxDocument)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	var doc document
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return Plan{}, errors.New("plan is empty")
	case err != nil:
		return Plan{}, fmt.Errorf("plan: %s", readable(err))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Plan{}, errors.New("plan: one document per file")
	}
	if doc.APIVersion != APIVersion || doc.Kind != Kind {
		return Plan{}, fmt.Errorf("plan: apiVersion %q, kind %q: this agent reads %s %s", doc.APIVersion, doc.Kind, APIVersion, Kind)
	}
	r := reader{profiles: map[string]model.QoSProfile{}}
	plan := r.plan(doc)
	return plan, r.err()
}

// readable turns the many-line errors of the YAML package into one line in our words.
func readable(err error) string {
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	s = strings.TrimPrefix(s, "unmarshal errors:\n")
	for _, word := range []struct{ go_, plan string }{
		{" in type qos.documentedWorkload", " in a workload"}, {" in type qos.document", " in a plan"},
		{" in type qos.span", ""}, {" in type qos.amounts", ""}, {" in type qos.reservedAmounts", ""}, {" in type qos.documentedPods", " in pods"}, {" in type model.", " in profile part "},
	} {
		s = strings.ReplaceAll(s, word.go_, word.plan)
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines[:min(len(lines), maxErrors)], "; ")
}

// reader turns a document into a plan and collects its problems.
type reader struct {
	profiles map[string]model.QoSProfile
	problems []string
}

func (r *reader) complain(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *reader) err() error {
	switch n := len(r.problems); {
	case n == 0:
		return nil
	case n > maxErrors:
		return fmt.Errorf("plan: %s; and %d more", strings.Join(r.problems[:maxErrors], "; "), n-maxErrors)
	}
	return fmt.Errorf("plan: %s", strings.Join(r.problems, "; "))
}

func (r *reader) plan(doc document) Plan {
	if len(doc.Workloads) > maxWorkloads || len(doc.Profiles) > maxProfiles {
		r.complain("%d workloads, %d profiles: at most %d and %d", len(doc.Workloads), len(doc.Profiles), maxWorkloads, maxProfiles)
		return Plan{}
	}
	for _, w := range doc.Workloads {
		r.strange(w)
	}
	if len(r.problems) > 0 {
		return Plan{} // what follows from a field that is misspelt helps nobody
	}
	r.source("plan", doc.Source)
	if doc.Ledger != "" && !model.ValidLedgerID(doc.Ledger) || doc.Generation < 0 {
		r.complain("ledger %q, generation %d: want 32 hexadecimal digits or none, and a number", text.Line(doc.Ledger, 40), doc.Generation)
	}
	if doc.Omitted < 0 {
		r.complain("omitted is %d, want a number of workloads", doc.Omitted)
	}
	for _, p := range model.BuiltinQoSProfiles() {
		r.profiles[p.Name] = p
	}
	var own []string
	for _, p := range doc.Profiles {
		if slices.Contains(own, p.Name) {
			r.complain("profile %q is declared twice", p.Name)
		}
		own = append(own, p.Name)
		r.profile(p)
	}
	plan := Plan{Source: doc.Source, Ledger: doc.Ledger, Generation: doc.Generation, System: r.amounts("system", doc.System), Omitted: doc.Omitted}
	names, cgroups := map[string]bool{}, map[string]string{}
	for _, w := range doc.Workloads {
		at := fmt.Sprintf("line %d: workload %q", w.Name.line, w.Name.text)
		if w.Name.text == "" || len(w.Name.text) > 253 || !text.Valid(w.Name.text) {
			r.complain("%s: a workload needs a printable name of at most 253 bytes", at)
			continue
		}
		if names[w.Name.text] {
			r.complain("%s: the name is taken", at)
		}
		names[w.Name.text] = true
		selector, ok := r.selector(at, w)
		if !ok {
			continue
		}
		if other, taken := cgroups[w.Cgroup]; taken && w.Cgroup != "" {
			r.complain("%s: cgroup %s belongs to workload %q", at, w.Cgroup, other)
		}
		cgroups[w.Cgroup] = w.Name.text
		plan.Workloads = append(plan.Workloads, r.workload(at, w, selector))
	}
	for _, w := range plan.Workloads {
		for _, dir := range ancestors(w.Cgroup) {
			if other, inside := cgroups[dir]; inside {
				r.complain("workload %q: cgroup %s lies inside that of workload %q", w.Name, w.Cgroup, other)
			}
		}
	}
	return plan
}

func (r *reader) profile(p model.QoSProfile) {
	at := fmt.Sprintf("profile %q", p.Name)
	if p.Name == "" || len(p.Name) > 63 || !text.Valid(p.Name) {
		r.complain("%s: a profile needs a printable name of at most 63 bytes", at)
	}
	for _, bound := range []struct {
		field      string
		value, max int64
	}{
		{"rank", int64(p.Rank), 1000},
		{"cpu.weight", p.CPU.Weight, 10000}, {"cpu.quota", int64(p.CPU.Quota), 1000}, {"cpu.burst", int64(p.CPU.Burst), 100}, {"cpu.suppress", int64(p.CPU.Suppress), 100},
		{"memory.min", int64(p.Memory.Min), 100}, {"memory.low", int64(p.Memory.Low), 100}, {"memory.high", int64(p.Memory.High), 100},
		{"io.weight", p.IO.Weight, 10000}, {"io.read", int64(p.IO.Read), maxMemory}, {"io.write", int64(p.IO.Write), maxMemory},
		{"io.readOps", p.IO.ReadOps, maxCount}, {"io.writeOps", p.IO.WriteOps, maxCount}, {"io.latency", p.IO.Latency, 10000}, {"pids.max", p.Pids.Max, maxCount},
		{"hugepages.2Mi", int64(p.HugePages.Of2Mi), maxMemory}, {"hugepages.1Gi", int64(p.HugePages.Of1Gi), maxMemory}, {"network.share", int64(p.Network.Share), 100}, {"network.ceiling", int64(p.Network.Ceiling), 100}, {"network.priority", int64(p.Network.Priority), 7},
	} {
		if bound.value < 0 || bound.value > bound.max {
			r.complain("%s: %s is %d, want 0 to %d", at, bound.field, bound.value, bound.max)
		}
	}
	if _, _, ok := processorList(p.CPU.Set); !ok && p.CPU.Set != "" {
		r.complain("%s: cpu.set %q is no list of processors such as 0-2,7", at, text.Line(p.CPU.Set, 40))
	}
	r.profiles[p.Name] = p
}

func (r *reader) workload(at string, w documentedWorkload, selector Selector) Workload {
	profile, known := r.profiles[w.Profile]
	if !known {
		r.complain("%s: profile %q is neither built in nor declared", at, w.Profile)
	}
	out := Workload{
		Name: w.Name.text, Cgroup: w.Cgroup, Selector: selector, Source: w.Source, Profile: profile, Priority: w.Priority, Hold: w.Hold,
		Request:  r.amounts(at+" request", amounts{w.CPU.Request, w.Memory.Request}),
		Limit:    r.amounts(at+" limit", amounts{w.CPU.Limit, w.Memory.Limit}),
		Reserved: r.reserved(at+" reserved", w.Reserved),
	}
	for _, name := range []string{"cpu", "memory"} {
		if limit := out.Limit.Get(name); limit > 0 && out.Request.Get(name) > limit {
			r.complain("%s: %s request is above its limit", at, name)
		}
		if out.Reserved.Get(name) > out.Request.Get(name) {
			r.complain("%s: %s reserved is above its request", at, name)
		}
	}
	r.source(at, w.Source)
	if w.Profile != "" && Reserves(profile) && out.Reserved.CPU == 0 && out.Reserved.Memory == 0 {
		out.Reserved.CPU, out.Reserved.Memory = out.Request.CPU, out.Request.Memory
	}
	return out
}

func (r *reader) source(at, commit string) {
	if len(commit) > 256 || !text.Valid(commit) {
		r.complain("%s: source is not a commit", at)
	}
}

// Reserves reports whether a workload of the profile has its request reserved, unless
// another amount is.
func Reserves(p model.QoSProfile) bool { return p.Memory.Min > 0 }

func (r *reader) reserved(at string, a reservedAmounts) model.Resources {
	out := r.amounts(at, a.amounts)
	if n := r.amount(at+" network", a.Network, model.ParseBitrate, maxBitrate); n > 0 {
		out = out.With(model.NetworkResource, n)
	}
	if n := r.amount(at+" disk", a.Disk, model.ParseMemory, maxMemory); n > 0 {
		out = out.With(model.DiskResource, n)
	}
	return out
}

func (r *reader) amounts(at string, a amounts) model.Resources {
	return model.Resources{
		CPU:    r.amount(at+" cpu", a.CPU, model.ParseCPU, maxCPU),
		Memory: r.amount(at+" memory", a.Memory, model.ParseMemory, maxMemory),
	}
}

func (r *reader) amount(at string, s scalar, parse func(string) (int64, error), most int64) int64 {
	if s.line == 0 {
		return 0
	}
	n, err := parse(s.text)
	switch {
	case err != nil:
		r.complain("line %d: %s: %s", s.line, strings.TrimPrefix(at, fmt.Sprintf("line %d: ", s.line)), err)
	case n > most:
		r.complain("line %d: %s: %q is more than any machine has", s.line, at, s.text)
		return 0
	}
	return n
}

package qos

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Setting is the value that one file of one cgroup should have.
type Setting struct {
	Cgroup string `json:"cgroup"` // "" for the root, of which only two files are written
	File   string `json:"file"`
	Value  string `json:"value"`
	// Floor: an ancestor shared with others is raised to the value and never
	// lowered below its original value.
	Floor    bool   `json:"floor,omitempty"`
	Workload string `json:"workload,omitempty"` // for whom; "" for an ancestor

	// Follows says what of the load the value follows, "" if it does not. Rest is then the
	// value for when nobody follows the load, "" for the original one.
	Follows string `json:"follows,omitempty"`
	Rest    string `json:"rest,omitempty"`

	Hold string `json:"hold,omitempty"` // why it is not written, "" where it is
}

// HeldByPlan is why the settings of a workload with hold are not written.
const HeldByPlan = "the plan leaves it to others (hold)"

// Knob tells about a file that settings may name. There are no others.
type Knob struct {
	Controller string
	Version    Version // that has it; Absent: both
	Root       bool    // only the root has it, and in it a line for each device, which may be others'
	Default    string  // value in a fresh group
	turn       int     // within a group, lowering runs in this order and raising against it
	none       string  // of a file with a line for each device: what takes a line away
}

// PerDevice reports whether the file has a line for each device, which are written one after the other.
func (k Knob) PerDevice() bool { return k.none != "" }

// LookupKnob returns the knob of a file, and whether there is one.
func LookupKnob(file string) (Knob, bool) {
	k, ok := knobs[file]
	return k, ok
}

// Normal returns the one spelling of a value that is compared, shown and
// written: kernels print some values in another form than they read.
func Normal(file, value string) string {
	value = strings.TrimSpace(value)
	if knobs[file].none != "" {
		return strings.Join(lines(value), betweenLines)
	}
	switch file {
	case "io.weight":
		value, _, _ = strings.Cut(value, "\n")
	case "cpuset.cpus":
		if list, _, ok := processorList(value); ok {
			return list
		}
	case "memory.limit_in_bytes", "hugetlb.2MB.limit_in_bytes", "hugetlb.1GB.limit_in_bytes":
		if n, err := strconv.ParseUint(value, 10, 64); err == nil && n >= 1<<62 {
			return "-1"
		}
	case "hugetlb.2MB.max", "hugetlb.1GB.max": // a fresh group has the largest number, which it says differently
		if n, err := strconv.ParseUint(value, 10, 64); err == nil && n >= 1<<62 {
			return "max"
		}
	case "cpu.max":
		if !strings.Contains(value, " ") {
			value += " 100000"
		}
	}
	return strings.Join(strings.Fields(value), " ")
}

// betweenLines stands in normal values for what ends a line, so that people can read them.
const betweenLines = "; "

// lines returns the lines of a file that has one for each device, or of its normal value.
func lines(value string) []string {
	all := strings.FieldsFunc(value, func(r rune) bool { return r == '\n' || r == ';' })
	for i := range all {
		all[i] = chosen(strings.Join(strings.Fields(all[i]), " "))
	}
	slices.Sort(all)
	return slices.DeleteFunc(all, func(line string) bool { return line == "" })
}

// Writes returns what is to be written, one after the other, to make one normal value of
// another: kernels take one device at a time.
func Writes(file, from, to string) []string {
	none := knobs[file].none
	if none == "" {
		return []string{to}
	}
	var all []string
	for _, line := range lines(from) {
		device, _, _ := strings.Cut(line, " ")
		if !slices.ContainsFunc(lines(to), func(l string) bool { return strings.HasPrefix(l, device+" ") }) {
			all = append(all, device+" "+none)
		}
	}
	for _, line := range lines(to) {
		if !slices.Contains(lines(from), line) {
			all = append(all, line)
		}
	}
	return all
}

// Size returns how much a normal value gives, so that values of one file can be
// put in order; "max" and -1 are the largest. A value that is no amount has size 0.
func Size(file, value string) int64 {
	fields := strings.Fields(value)
	if len(fields) == 0 {
		return 0
	}
	if file == "io.weight" {
		fields = fields[len(fields)-1:]
	}
	if fields[0] == "max" || fields[0] == "-1" {
		return math.MaxInt64
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	if file == "cpu.max" && len(fields) == 2 {
		if period, err := strconv.ParseInt(fields[1], 10, 64); err == nil && period > 0 {
			return wide(n, 1_000_000).floor(period)
		}
	}
	return n
}

// Change is a write: a setting and the normal value it replaces.
type Change struct {
	Setting
	From string `json:"from"`
}

func (c Change) raises() bool { return Size(c.File, c.Value) > Size(c.File, c.From) }

// Order sorts changes so that no promise breaks between two writes: first all
// that lower, innermost groups first, then all that raise, outermost first.
// So children never add up to more than their parent has, and no burst stands
// above its quota.
func Order(changes []Change) {
	slices.SortStableFunc(changes, func(a, b Change) int {
		up, other := a.raises(), b.raises()
		if up != other {
			if other {
				return -1
			}
			return 1
		}
		turned := 1
		if up {
			turned = -1
		}
		return cmp.Or(
			turned*cmp.Compare(depth(b.Cgroup), depth(a.Cgroup)),
			cmp.Compare(a.Cgroup, b.Cgroup),
			turned*cmp.Compare(knobs[a.File].turn, knobs[b.File].turn),
			turned*cmp.Compare(a.File, b.File),
		)
	})
}

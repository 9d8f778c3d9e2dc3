package qos

import "slices"

// Ceiling is what a workload may take until the load of the host changes, beside what the
// plan allows.
type Ceiling struct{ CPU, Memory, Disk Bound }

// Bound is one amount of a ceiling.
type Bound struct {
	Most int64  // milli-CPU, bytes, or of a disk bytes in a second, 0: no bound
	Why  string // the figures that it follows from
}

// under returns the smaller of a bound of the plan and one of a ceiling; 0 is none.
func (b Bound) under(most int64) int64 {
	if b.Most > 0 && (most == 0 || b.Most < most) {
		return b.Most
	}
	return most
}

// ResolveUnder is [Resolve] while ceilings hold, by workload. What differs from Resolve says
// what it follows, and which value it is to have when nobody follows the load any more.
func ResolveUnder(ceilings map[string]Ceiling, plan Plan, host Host) Enforcement {
	rest := Resolve(plan, host)
	if len(ceilings) == 0 {
		return rest
	}
	static := map[[2]string]string{}
	for _, s := range rest.Settings {
		static[[2]string{s.Cgroup, s.File}] = s.Value
	}
	now := resolve(State{Plan: plan, Host: host, Ceilings: ceilings})
	for i := range now.Settings {
		s := &now.Settings[i]
		if value := static[[2]string{s.Cgroup, s.File}]; value != s.Value {
			c := ceilings[s.Workload]
			s.Rest, s.Follows = value, map[string]string{"cpu": c.CPU.Why, "memory": c.Memory.Why, "io": c.Disk.Why}[knobs[s.File].Controller]
		}
	}
	rest.Settings = now.Settings
	return rest
}

// divide shares a total among those who ask for a part of it: who asks for less than an equal
// part gets that, the others share what it leaves, and so does what nobody asks for. Nobody
// gets less than the floor.
func divide(total, floor int64, asked []int64) []int64 {
	parts := make([]int64, len(asked))
	order := make([]int, len(asked))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, asked[a]-asked[b]))) })
	left := total
	for done, i := range order {
		parts[i] = min(asked[i], left/int64(len(order)-done))
		left -= parts[i]
	}
	for i := range parts {
		parts[i] = max(floor, parts[i]+left/int64(len(parts)))
	}
	return parts
}

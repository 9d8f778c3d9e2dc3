//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// nesting are the controllers that processes are bounded by or counted with.
var nesting = []string{"cpu", "cpuacct", "memory", "pids", "blkio", "io"}

// Nest is the group below which groups for processes are made and removed, in every hierarchy
// that bounds processes. All groups below it are its owner's.
type Nest struct {
	path  string
	dirs  []mounted // the group in each hierarchy
	Lacks []string  // controllers that do not reach it: what they bound is unbounded
}

// Nest makes the group at a path, with those above it.
func (t *Tree) Nest(at string) (*Nest, error) {
	if at = path.Clean(at); !fs.ValidPath(at) || at == "." {
		return nil, fmt.Errorf("make group %q: want a path below the cgroup root", at)
	}
	n := &Nest{path: at}
	reached := map[string]bool{}
	for _, m := range t.mounted {
		if m.version == qos.V1 && !slices.ContainsFunc(m.controllers, func(c string) bool { return slices.Contains(nesting, c) }) {
			continue
		}
		dir, err := m.descend(at)
		if err != nil {
			n.Close()
			return nil, fmt.Errorf("make group %s: %w", at, err)
		}
		n.dirs = append(n.dirs, dir)
		for _, c := range dir.controllers {
			reached[c] = true
		}
	}
	for _, c := range []string{"cpu", "memory", "pids"} {
		if !reached[c] {
			n.Lacks = append(n.Lacks, c)
		}
	}
	return n, nil
}

// descend makes the groups on the way to a path and opens the last one. On v2 each hands the
// controllers down that processes are bounded by, as far as the host lets it.
func (m mounted) descend(at string) (mounted, error) {
	here, done := m.dir, ""
	handDown := func() {
		if m.version == qos.V2 {
			for _, c := range m.controllers {
				if slices.Contains(nesting, c) {
					_ = writeFile(here, "cgroup.subtree_control", "+"+c) // what is lacking is seen below
				}
			}
		}
	}
	handDown()
	for part := range strings.SplitSeq(at, "/") {
		done = path.Join(done, part)
		if err := unix.Mkdirat(int(here.Fd()), part, 0o755); err != nil && !errors.Is(err, unix.EEXIST) {
			return mounted{}, fmt.Errorf("%s: %w", path.Join(m.dir.Name(), done), err)
		}
		next, err := openBeneath(m.dir, done, unix.O_RDONLY|unix.O_DIRECTORY)
		if here != m.dir {
			_ = here.Close()
		}
		if err != nil {
			return mounted{}, fmt.Errorf("%s: %w", m.dir.Name(), err)
		}
		here = next
		handDown()
	}
	if m.version == qos.V2 {
		names, err := readFile(here, "cgroup.subtree_control")
		if err != nil {
			return mounted{}, err
		}
		m.controllers = strings.Fields(names)
	}
	m.dir = here
	return m, nil
}

// Close gives the directories back. The groups stay.
func (n *Nest) Close() {
	for _, d := range n.dirs {
		_ = d.dir.Close()
	}
}

// Path returns the path of a group below the cgroup root.
func (n *Nest) Path(group string) string { return path.Join(n.path, group) }

// Bounds are what the processes of a group may take, 0: no bound, and CPU the part of
// the processor that they have beside others, both in thousandths of a processor.
type Bounds struct {
	CPU, MostCPU int64
	MostMemory   int64
	MostTasks    int64
}

// Make makes a new group with bounds. A group of that name is an error.
func (n *Nest) Make(group string, b Bounds) error {
	for _, d := range n.dirs {
		if err := unix.Mkdirat(int(d.dir.Fd()), group, 0o755); err != nil {
			return fmt.Errorf("make group %s: %w", n.Path(group), err)
		}
	}
	return n.Bound(group, b)
}

// Bound sets the bounds of a group.
func (n *Nest) Bound(group string, b Bounds) error {
	for _, d := range n.dirs {
		dir, err := openBeneath(d.dir, group, unix.O_PATH|unix.O_DIRECTORY)
		if err != nil {
			return fmt.Errorf("bound group %s: %w", n.Path(group), err)
		}
		for _, set := range b.settings(d.version) {
			if !slices.Contains(d.controllers, set.controller) {
				continue
			}
			if now, err := readFile(dir, set.file); err == nil && qos.Normal(set.file, now) == qos.Normal(set.file, set.value) {
				continue
			}
			if err = writeFile(dir, set.file, set.value); err != nil {
				_ = dir.Close()
				return fmt.Errorf("bound group %s: %w", n.Path(group), err)
			}
		}
		_ = dir.Close()
	}
	return nil
}

type bound struct{ controller, file, value string }

func (b Bounds) settings(version qos.Version) (all []bound) {
	amount := func(n int64, none string) string {
		if n == 0 {
			return none
		}
		return strconv.FormatInt(n, 10)
	}
	if version == qos.V1 {
		return []bound{
			{"cpu", "cpu.shares", strconv.FormatInt(qos.Shares(b.CPU), 10)},
			{"cpu", "cpu.cfs_quota_us", amount(b.MostCPU*100, "-1")},
			{"memory", "memory.limit_in_bytes", amount(b.MostMemory, "-1")},
			{"pids", "pids.max", amount(b.MostTasks, "max")},
		}
	}
	return []bound{
		{"cpu", "cpu.weight", strconv.FormatInt(qos.Weight(b.CPU), 10)},
		{"cpu", "cpu.max", amount(b.MostCPU*100, "max") + " 100000"},
		{"memory", "memory.max", amount(b.MostMemory, "max")},
		{"memory", "memory.oom.group", "1"},
		{"pids", "pids.max", amount(b.MostTasks, "max")},
	}
}

// Doors opens the files by which a process enters a group, one in each hierarchy: it writes 0.
func (n *Nest) Doors(group string) (doors []*os.File, err error) {
	for _, d := range n.dirs {
		door, err := openBeneath(d.dir, group+"/cgroup.procs", unix.O_WRONLY)
		if err != nil {
			for _, opened := range doors {
				_ = opened.Close()
			}
			return nil, fmt.Errorf("enter group %s: %w", n.Path(group), err)
		}
		doors = append(doors, door)
	}
	return doors, nil
}

// Groups lists the groups in the nest.
func (n *Nest) Groups() ([]string, error) {
	var all []string
	for _, d := range n.dirs {
		dir, err := openBeneath(d.dir, ".", unix.O_RDONLY|unix.O_DIRECTORY)
		if err != nil {
			return nil, fmt.Errorf("list groups of %s: %w", n.path, err)
		}
		entries, err := dir.ReadDir(-1)
		_ = dir.Close()
		if err != nil {
			return nil, fmt.Errorf("list groups of %s: %w", n.path, err)
		}
		for _, e := range entries {
			if e.IsDir() {
				all = append(all, e.Name())
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// OutOfMemory reports whether the kernel ended a process of a group because of its bound.
func (n *Nest) OutOfMemory(group string) bool {
	for _, d := range n.dirs {
		if !slices.Contains(d.controllers, "memory") {
			continue
		}
		file := map[qos.Version]string{qos.V1: "memory.oom_control", qos.V2: "memory.events"}[d.version]
		said, _ := readFile(d.dir, group+"/"+file)
		for line := range strings.Lines(said) {
			if count, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok && count != "0" {
				return true
			}
		}
	}
	return false
}

// Clear ends what still runs in a group and removes it. It reports whether the group is gone;
// processes need a moment to end, and then it is to be called again.
func (n *Nest) Clear(group string) (gone bool, err error) {
	gone = true
	for _, d := range n.dirs {
		err := unix.Unlinkat(int(d.dir.Fd()), group, unix.AT_REMOVEDIR)
		if err == nil || errors.Is(err, unix.ENOENT) {
			continue
		}
		gone = false
		if err := d.kill(group); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("clear group %s: %w", n.Path(group), err)
		}
	}
	return gone, nil
}

// kill ends all processes of a group and of those below it, which it removes.
func (m mounted) kill(group string) error {
	dir, err := openBeneath(m.dir, group, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if err := m.kill(group + "/" + e.Name()); err != nil {
			return err
		}
		_ = unix.Unlinkat(int(dir.Fd()), e.Name(), unix.AT_REMOVEDIR)
	}
	if m.version == qos.V2 && writeFile(dir, "cgroup.kill", "1") == nil {
		return nil
	}
	list, err := openBeneath(dir, "cgroup.procs", unix.O_RDONLY)
	if err != nil {
		return err
	}
	defer list.Close()
	return killAll(list)
}

// killAll ends the processes that a cgroup.procs lists.
func killAll(list *os.File) error {
	buf := make([]byte, 64<<10) // the next call finds what is beyond it
	n, err := list.Read(buf)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, unix.ENODEV) { // the group is gone
		return err
	}
	for line := range strings.SplitAfterSeq(string(buf[:n]), "\n") {
		if pid, err := strconv.Atoi(strings.TrimSuffix(line, "\n")); err == nil && strings.HasSuffix(line, "\n") && pid > 1 {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	return nil
}

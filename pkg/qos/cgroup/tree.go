//go:build linux

package cgroup

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Root is where cgroups are mounted on every common distribution.
const Root = "/sys/fs/cgroup"

// Mode is how a host mounts its cgroups.
type Mode string

// The modes.
const (
	Unified Mode = "unified" // v2 only
	Hybrid  Mode = "hybrid"  // v1 controllers beside a v2 mount
	Legacy  Mode = "legacy"  // v1 only
)

// Tree has the cgroups of a host. It keeps the root directories open, so that later
// mounts over them have no effect.
type Tree struct {
	Mode        Mode
	hierarchies map[string]hierarchy // by controller, as qos names them
	accounts    hierarchy            // of processor time, on v1; v2 has it with cpu
	Recursive   bool                 // memory protection passes from a group to children that set none
	own         map[identity]bool
	crowds      map[string]*crowd // by path
	kernel      map[string]bool   // ids of threads of the kernel
	peeked      map[knob]peeked   // files that stay open
	mayPeek     int
	calm        calmness
	glances     glances
	dirs        []*os.File
	mounted     []mounted
}

// mounted is a cgroup file system and what lives in it.
type mounted struct {
	hierarchy
	controllers []string // as the kernel names them
}

type hierarchy struct {
	dir     *os.File
	version qos.Version
}

// identity tells a group from a later one of the same name.
type identity struct{ device, inode uint64 }

// Open finds the hierarchies at root: a cgroup2 directory, or a directory with
// cgroup mounts directly below it. Callers close the tree.
func Open(root string) (*Tree, error) {
	root = filepath.Clean(root)
	mounts, err := readMounts()
	if err != nil {
		return nil, fmt.Errorf("find cgroups: %w", err)
	}
	t := &Tree{hierarchies: map[string]hierarchy{}, crowds: map[string]*crowd{}, kernel: map[string]bool{}, peeked: map[knob]peeked{}, mayPeek: mayOpen(mostPeeked), glances: glances{open: map[glanced]*glance{}, most: mayOpen(mostGlances)}}
	if m, ok := covering(mounts, root); ok && m.unified {
		t.Mode = Unified
		err = t.add(m, root)
	} else {
		err = t.openMixed(directlyBelow(mounts, root))
	}
	if err == nil && len(t.dirs) == 0 {
		err = errors.New("no cgroup file system here or directly below")
	}
	if err == nil {
		t.own, err = ownGroups(mounts)
	}
	if err != nil {
		_ = t.Close()
		return nil, fmt.Errorf("find cgroups at %s: %w", root, err)
	}
	return t, nil
}

func (t *Tree) openMixed(mounts []mount) error {
	t.Mode = Legacy
	for _, m := range mounts {
		if m.unified {
			t.Mode = Hybrid
		}
		if err := t.add(m, m.point); err != nil {
			return err
		}
	}
	return nil
}

// add takes the controllers that live in m, reached at dir.
func (t *Tree) add(m mount, dir string) error {
	controllers, version := m.options, qos.V1
	f, err := openCgroupDir(dir, m.unified)
	if err != nil {
		return err
	}
	t.dirs = append(t.dirs, f)
	if m.unified {
		version = qos.V2
		t.Recursive = slices.Contains(m.options, "memory_recursiveprot")
		names, err := readFile(f, "cgroup.controllers")
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		controllers = strings.Fields(names)
	}
	t.mounted = append(t.mounted, mounted{hierarchy{f, version}, controllers})
	for _, name := range controllers {
		if name == "blkio" {
			name = "io"
		}
		if name == "cpuacct" {
			t.accounts = hierarchy{f, version}
		}
		if slices.Contains([]string{"cpu", "cpuset", "memory", "io", "pids", "hugetlb"}, name) {
			t.hierarchies[name] = hierarchy{f, version}
		}
	}
	return nil
}

// Close gives the directories back.
func (t *Tree) Close() error {
	t.forget(nil)
	t.glances.close()
	var errs []error
	for _, dir := range t.dirs {
		errs = append(errs, dir.Close())
	}
	t.dirs = nil
	return errors.Join(errs...)
}

// Controllers tells through which version each controller is reached.
func (t *Tree) Controllers() map[string]qos.Version {
	versions := map[string]qos.Version{}
	for name, h := range t.hierarchies {
		versions[name] = h.version
	}
	return versions
}

// unified returns the hierarchy of v2, zero where there is none.
func (t *Tree) unified() (h hierarchy) {
	if i := slices.IndexFunc(t.mounted, func(m mounted) bool { return m.version == qos.V2 }); i >= 0 {
		h = t.mounted[i].hierarchy
	}
	return h
}

// group opens a group below the root of the controller's hierarchy.
func (t *Tree) group(controller, path string) (*os.File, error) {
	h, ok := t.hierarchies[controller]
	if !ok {
		return nil, fmt.Errorf("the %s controller is not available", controller)
	}
	path = cmp.Or(path, ".")
	return openBeneath(h.dir, path, unix.O_PATH|unix.O_DIRECTORY)
}

func identify(f *os.File) (identity, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return identity{}, &os.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return identity{st.Dev, st.Ino}, nil
}

// ownGroups returns the groups of this process below the roots, and those around them: no plan may
// bound the agent itself.
func ownGroups(mounts []mount) (map[identity]bool, error) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	own := map[identity]bool{}
	for line := range strings.Lines(string(data)) { // 4:memory:/a/b, and 0::/a/b for v2
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 || parts[2] == "/" {
			continue
		}
		for _, m := range mounts {
			if m.root != "/" || m.unified != (parts[1] == "") || !m.unified && !slices.Contains(m.options, strings.Split(parts[1], ",")[0]) {
				continue
			}
			for group := filepath.Clean(parts[2]); group != "/" && group != "."; group = filepath.Dir(group) {
				var st unix.Stat_t
				if err := unix.Stat(filepath.Join(m.point, group), &st); err == nil {
					own[identity{st.Dev, st.Ino}] = true
				}
			}
		}
	}
	return own, nil
}

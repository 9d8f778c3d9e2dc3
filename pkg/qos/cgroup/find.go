//go:build linux

package cgroup

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Bounds of what is looked at on one node.
const (
	mostLinks  = 20_000
	mostGroups = 50_000
)

// Find looks for what the selectors of the plan name. It also returns the directories in which
// it looked: groups that come or go do so there.
func (t *Tree) Find(plan qos.Plan, kubelet qos.Kubelet) (qos.Found, []string, error) {
	l := &looking{tree: t}
	found, err := qos.Find(plan, l, kubelet)
	return found, l.dirs, err
}

// looking is a host as environments see it.
type looking struct {
	tree *Tree
	dirs []string // that were looked into, or would be if they were there
}

// groups is the hierarchy in which groups are looked for.
func (t *Tree) groups() hierarchy {
	if h, ok := t.hierarchies["cpu"]; ok {
		return h
	}
	return t.hierarchies["memory"]
}

// Around returns the directories in which the groups of a plan come and go, in the hierarchy in which groups are looked for.
func (t *Tree) Around(plan qos.Plan) (dirs []string) {
	h := t.groups()
	if h.dir == nil {
		return nil
	}
	for i := range plan.Workloads {
		dirs = append(dirs, filepath.Join(h.dir.Name(), filepath.Dir(plan.Workloads[i].Cgroup)))
	}
	return dirs
}

// Below is for [qos.Shown].
func (l *looking) Below(root string, depth int, enter func(name string) bool) (groups []string) {
	h := l.tree.groups()
	if h.dir == nil {
		return nil
	}
	top := cmp.Or(root, ".")
	var walk func(dir *os.File, path string, depth int)
	walk = func(dir *os.File, path string, depth int) {
		defer dir.Close()
		if len(l.dirs) < mostGroups {
			l.dirs = append(l.dirs, filepath.Join(h.dir.Name(), root, path))
		}
		children, _ := dir.ReadDir(manyChildren)
		for _, child := range children {
			if !child.IsDir() || len(groups) == mostGroups {
				continue
			}
			group := child.Name()
			if path != "" {
				group = path + "/" + group
			}
			groups = append(groups, group)
			if depth > 1 && enter(child.Name()) {
				if below, err := openBeneath(dir, child.Name(), unix.O_RDONLY|unix.O_DIRECTORY); err == nil {
					walk(below, group, depth-1)
				}
			}
		}
	}
	if dir, err := openBeneath(h.dir, top, unix.O_RDONLY|unix.O_DIRECTORY); err == nil {
		walk(dir, "", depth)
	} else {
		l.dirs = append(l.dirs, filepath.Join(h.dir.Name(), root))
	}
	return groups
}

// Links is for [qos.Shown].
func (l *looking) Links(dir string) (map[string]string, error) {
	l.dirs = append(l.dirs, dir)
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(mostLinks)
	links := make(map[string]string, len(entries))
	for _, e := range entries {
		if e.Type() == fs.ModeSymlink {
			if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil { // else it is gone
				links[e.Name()] = target
			}
		}
	}
	if errors.Is(err, io.EOF) { // the directory is empty
		err = nil
	}
	return links, err
}

//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Bounds of what is looked at on one node.
const (
	mostLinks  = 20_000
	mostGroups = 50_000
)

// Kubelet is where the kubelet shows what it runs.
type Kubelet struct {
	Links string // directory of links to the logs of containers
	Group string // of all pods, relative to the cgroup root; "": kubepods or kubepods.slice
}

// Find looks for what the selectors of the plan name. A kubelet that is not there has no pods.
func (t *Tree) Find(plan qos.Plan, kubelet Kubelet) (found qos.Found, err error) {
	var units []string
	pods := false
	for i := range plan.Workloads {
		if name := plan.Workloads[i].Unit; name != "" {
			units = append(units, name)
		}
		pods = pods || !plan.Workloads[i].Pods.IsZero()
	}
	if len(units) > 0 {
		found.Units = t.units(units)
	}
	if pods {
		found.Containers, err = t.containers(kubelet)
	}
	return found, err
}

// containers lists the containers of the kubelet that have a group.
func (t *Tree) containers(kubelet Kubelet) ([]qos.Container, error) {
	roots := []string{kubelet.Group}
	if kubelet.Group == "" {
		roots = []string{"kubepods.slice", "kubepods"}
	}
	for _, root := range roots {
		groups := t.below(root, 3, func(string) bool { return true })
		if len(groups) == 0 {
			continue
		}
		links, err := readLinks(kubelet.Links)
		if err != nil {
			return nil, fmt.Errorf("find the containers of pods: %w", err)
		}
		return qos.Containers(links, root, groups), nil
	}
	return nil, nil
}

// units returns the groups of units of systemd. It looks for them in slices only: below
// those of services and containers others make groups, and choose their names.
func (t *Tree) units(names []string) map[string]string {
	groups := t.below("", 8, func(name string) bool {
		return strings.HasSuffix(name, ".slice") && !strings.HasSuffix(name, "kubepods.slice")
	})
	slices.Sort(groups)
	at := map[string]string{}
	for _, group := range groups {
		name := filepath.Base(group)
		if _, twice := at[name]; !twice && slices.Contains(names, name) {
			at[name] = group
		}
	}
	return at
}

// below lists the groups below a group, down to a depth, and only in those that enter admits.
func (t *Tree) below(root string, depth int, enter func(name string) bool) (groups []string) {
	h, ok := t.hierarchies["cpu"]
	if !ok {
		h = t.hierarchies["memory"]
	}
	if h.dir == nil {
		return nil
	}
	top := root
	if top == "" {
		top = "."
	}
	var walk func(dir *os.File, path string, depth int)
	walk = func(dir *os.File, path string, depth int) {
		defer dir.Close()
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
	}
	return groups
}

// readLinks returns the targets of the links in a directory. It follows none. A directory that
// is gone is an error: it does not mean that no pod runs.
func readLinks(dir string) (map[string]string, error) {
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

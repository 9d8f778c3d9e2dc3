//go:build linux

package cgroup

import (
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Told returns the ids by which the kernel tells whose packets they are, of the groups of a
// plan in cgroup v2, and the groups that are on the host, but not there. ok is false on a host
// without cgroup v2.
func (t *Tree) Told(plan qos.Plan) (ids map[string]uint64, untold []string, ok bool) {
	root := t.unified()
	if root.dir == nil {
		return nil, nil, false
	}
	ids = map[string]uint64{}
	for i := range plan.Workloads {
		path := plan.Workloads[i].Cgroup
		if dir, err := openBeneath(root.dir, path, unix.O_PATH|unix.O_DIRECTORY); err == nil {
			if id, err := identify(dir); err == nil {
				ids[path] = id.inode
			}
			_ = dir.Close()
		} else if dir, err := t.group("cpu", path); err == nil {
			untold = append(untold, path)
			_ = dir.Close()
		}
	}
	return ids, untold, true
}

//go:build linux

package cgroup

import (
	"io/fs"
	"slices"

	"github.com/d-aros/d-aros/pkg/qos"
)

// nested returns the groups of workloads with a reservation of memory that have groups in them, where the kernel does not
// pass protection on to these. It reads no directory where the kernel does.
func (t *Tree) nested(plan qos.Plan) (nested []string) {
	if t.Recursive || t.hierarchies["memory"].version != qos.V2 {
		return nil
	}
	for i := range plan.Workloads {
		if w := &plan.Workloads[i]; w.Reserved.Memory > 0 && t.hasGroups(w.Cgroup) {
			nested = append(nested, w.Cgroup)
		}
	}
	return nested
}

func (t *Tree) hasGroups(path string) bool {
	dir, err := t.group("memory", path)
	if err != nil {
		return false // there is none yet
	}
	defer dir.Close()
	return slices.ContainsFunc(childrenOf(dir), fs.DirEntry.IsDir)
}

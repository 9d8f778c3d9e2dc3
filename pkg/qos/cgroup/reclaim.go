//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Reclaim lets the kernel take so many bytes of memory from a group, which may take seconds. An error says that it took less.
// It may run beside everything but Close.
func (t *Tree) Reclaim(path string, bytes int64) error {
	if t.hierarchies["memory"].version != qos.V2 {
		return errors.New("the memory controller is not in cgroup v2")
	}
	dir, err := t.group("memory", path)
	if err != nil {
		return fmt.Errorf("reclaim memory of %s: %w", path, err)
	}
	defer dir.Close()
	switch id, err := identify(dir); {
	case err != nil:
		return fmt.Errorf("reclaim memory of %s: %w", path, err)
	case t.own[id]:
		return fmt.Errorf("reclaim memory of %s: the agent itself runs in this group", path)
	}
	if err := writeFile(dir, "memory.reclaim", strconv.FormatInt(bytes, 10)); err != nil {
		return fmt.Errorf("reclaim memory of %s: %w", path, err)
	}
	return nil
}

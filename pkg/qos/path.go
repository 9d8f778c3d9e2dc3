package qos

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// checkCgroup returns an error if the cgroup path of a plan is not valid. A valid
// path names a group strictly below the root and has no component that has another
// meaning to a file system or the kernel.
func checkCgroup(path string) error {
	parts := strings.Split(path, "/")
	switch {
	case path == "":
		return fmt.Errorf("cgroup is missing")
	case len(path) > 1024 || len(parts) > 32 || !text.Valid(path):
		return fmt.Errorf("cgroup %q is too long, too deep or not printable", path[:min(len(path), 64)])
	case parts[0] == "init.scope":
		return fmt.Errorf("cgroup %q belongs to the host's init", path)
	}
	for _, part := range parts {
		switch {
		case part == "" || part == "." || part == "..":
			return fmt.Errorf("cgroup %q: want a clean path below the cgroup root", path)
		case len(part) > 255 || strings.HasPrefix(part, "cgroup."):
			return fmt.Errorf("cgroup %q: %.64q cannot name a group", path, part)
		}
	}
	return nil
}

// ancestors returns the groups above path, outermost first, without the root.
func ancestors(path string) []string {
	var dirs []string
	for i, c := range path {
		if c == '/' {
			dirs = append(dirs, path[:i])
		}
	}
	return dirs
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

func depth(path string) int {
	if path == "" {
		return 0
	}
	return strings.Count(path, "/") + 1
}

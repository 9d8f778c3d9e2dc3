//go:build linux

package cgroup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mount is a cgroup file system as this process sees it.
type mount struct {
	point   string
	root    string   // directory of the file system that is mounted, "/" for all of it
	unified bool     // cgroup2
	options []string // of the file system: controllers on v1, memory_recursiveprot … on v2
}

// readMounts returns the cgroup mounts; where one covers another, the one on top.
func readMounts() ([]mount, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	return parseMounts(string(data)), nil
}

// parseMounts reads mountinfo: "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu".
func parseMounts(mountinfo string) []mount {
	var mounts []mount
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		point := octal.Replace(left[4])
		mounts = slices.DeleteFunc(mounts, func(m mount) bool { return m.point == point })
		if right[0] != "cgroup" && right[0] != "cgroup2" {
			continue
		}
		mounts = append(mounts, mount{
			point: point, root: octal.Replace(left[3]),
			unified: right[0] == "cgroup2", options: strings.Split(right[2], ","),
		})
	}
	return mounts
}

var octal = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// covering returns the mount in which path lies.
func covering(mounts []mount, path string) (mount, bool) {
	var best mount
	for _, m := range mounts {
		inside := path == m.point || strings.HasPrefix(path, strings.TrimSuffix(m.point, "/")+"/")
		if inside && len(m.point) > len(best.point) {
			best = m
		}
	}
	return best, best.point != ""
}

// directlyBelow returns the mounts on children of dir.
func directlyBelow(mounts []mount, dir string) []mount {
	return slices.DeleteFunc(slices.Clone(mounts), func(m mount) bool { return filepath.Dir(m.point) != dir })
}

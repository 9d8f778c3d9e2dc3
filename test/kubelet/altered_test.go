//go:build linux

package kubelet

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// odd are values that no kubelet writes, by file.
var odd = map[string]string{
	"cpu.weight": "77", "cpu.max": "55000 100000", "cpu.max.burst": "5000", "memory.min": "1048576", "memory.low": "2097152", "memory.high": "50331648",
	"memory.max": "1048576000", "memory.oom.group": "0", "pids.max": "777", "io.weight": "default 55",
}

// altered are files of groups of pods, with the values that somebody else than the kubelet gave them.
type altered struct {
	t         *testing.T
	originals map[string]string
	values    map[string]string
	began     time.Time
	changed   map[string][]string // by file: when the kubelet changed it, and to what
}

// alter gives all files below the group of all pods another value.
func alter(t *testing.T) *altered {
	a := &altered{t: t, originals: map[string]string{}, values: map[string]string{}, began: time.Now(), changed: map[string][]string{}}
	err := filepath.WalkDir(filepath.Join(cgroups, "kubepods"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		for name := range odd {
			file := filepath.Join(path, name)
			original, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if err := a.set(file); err == nil { // some make sense beside certain others only
				a.originals[file] = strings.TrimSpace(string(original))
			}
		}
		return nil
	})
	require.NoError(t, err)
	return a
}

func (a *altered) set(file string) error {
	if err := os.WriteFile(file, []byte(odd[filepath.Base(file)]), 0); err != nil {
		return err
	}
	value, err := os.ReadFile(file)
	a.values[file] = string(value)
	return err
}

// look notes what the kubelet has changed, and alters it again.
func (a *altered) look() {
	for file, value := range a.values {
		now, err := os.ReadFile(file)
		require.NoError(a.t, err)
		if string(now) == value {
			continue
		}
		a.originals[file] = strings.TrimSpace(string(now))
		name := strings.TrimPrefix(file, cgroups+"/")
		a.changed[name] = append(a.changed[name], fmt.Sprintf("%s after %.1f s", a.originals[file], time.Since(a.began).Seconds()))
		require.NoError(a.t, a.set(file))
	}
}

// files lists what the kubelet has changed.
func (a *altered) files() []string { return slices.Sorted(maps.Keys(a.changed)) }

func (a *altered) print() {
	a.t.Logf("%d files were altered, and the kubelet changed in %.1f s:", len(a.values), time.Since(a.began).Seconds())
	for _, file := range a.files() {
		a.t.Logf("  %s: %s", file, strings.Join(a.changed[file], ", "))
	}
}

// restore gives all files the values that the kubelet wants there.
func (a *altered) restore() {
	for _, pass := range []string{"cpu.max.burst", ""} { // a burst is never larger than its quota
		for file, value := range a.originals {
			if pass == "" || filepath.Base(file) == pass {
				require.NoError(a.t, os.WriteFile(file, []byte(value), 0), file)
			}
		}
	}
}

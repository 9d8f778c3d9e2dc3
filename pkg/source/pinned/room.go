package pinned

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
)

// makeRoom removes what was not used for longest, until what is kept leaves room for more.
func (s *Store) makeRoom() {
	entries, err := os.ReadDir(s.o.Dir)
	if err != nil {
		return // there is nothing yet
	}
	type kept struct {
		dir  string
		used int64
		size int64
	}
	var all []kept
	total := int64(0)
	for _, e := range entries {
		dir := filepath.Join(s.o.Dir, e.Name())
		info, err := e.Info()
		if err != nil {
			continue
		}
		k := kept{dir: dir, used: info.ModTime().UnixNano()}
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				k.size += info.Size()
			}
		}
		all, total = append(all, k), total+k.size
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Compare(a.used, b.used) })
	for _, k := range all {
		if total+maxPack <= maxKept {
			return
		}
		_ = os.RemoveAll(k.dir)
		total -= k.size
	}
}

package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// tree gives files digests, as the tree of a commit has them.
type tree struct{ fs.FS }

func (t tree) Digest(name string) (string, error) {
	h := sha256.New()
	if files, ok := t.FS.(fstest.MapFS); ok {
		if below := filesBelow(files, name); len(below) > 0 {
			for _, p := range below {
				fmt.Fprintf(h, "%s %d\n%s", strings.TrimPrefix(p, name), len(files[p].Data), files[p].Data)
			}
			return hex.EncodeToString(h.Sum(nil)), nil
		}
	}
	err := fs.WalkDir(t.FS, name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(t.FS, p)
		fmt.Fprintf(h, "%s %d\n%s", strings.TrimPrefix(p, name), len(data), data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// filesBelow returns the files that WalkDir visits, in its order. WalkDir looks through the whole map for each directory. The
// list is empty where one of them is no plain file.
func filesBelow(files fstest.MapFS, name string) (below []string) {
	for p, f := range files {
		if name != "." && p != name && !strings.HasPrefix(p, name+"/") {
			continue
		}
		if !f.Mode.IsRegular() {
			return nil
		}
		below = append(below, p)
	}
	slices.SortFunc(below, func(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) })
	return below
}

// directory is a tree on disk.
func directory(root string) tree { return tree{os.DirFS(root)} }

// unpack is the tree of a txtar archive, over those given before. An empty file
// takes a file of an earlier archive away.
func unpack(archives ...*txtar.Archive) tree {
	files := fstest.MapFS{}
	for _, a := range archives {
		for _, f := range a.Files {
			if len(f.Data) == 0 {
				delete(files, f.Name)
				continue
			}
			files[path.Clean(f.Name)] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
		}
	}
	return tree{files}
}

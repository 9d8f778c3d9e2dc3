//go:build linux

package guest

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// archive writes the files with which a kernel starts, in cpio's newc format.
type archive struct {
	w    io.Writer
	made map[string]bool
	n    int
	err  error
}

func newArchive(w io.Writer) *archive {
	return &archive{w: w, made: map[string]bool{".": true, "/": true}}
}

// directory adds a directory, and those around it.
func (a *archive) directory(name string) {
	if name = path.Clean(name); a.made[name] {
		return
	}
	a.directory(path.Dir(name))
	a.made[name] = true
	a.entry(name, 0o040755, nil)
}

// file adds a program or a script.
func (a *archive) file(name string, content []byte) {
	a.directory(path.Dir(name))
	a.entry(name, 0o100755, content)
}

func (a *archive) entry(name string, mode int, content []byte) {
	name = strings.TrimPrefix(name, "/")
	a.n++
	a.write(fmt.Appendf(nil, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
		a.n, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name)+1, 0, name), 110+len(name)+1)
	a.write(content, len(content))
}

// write writes bytes up to a multiple of four.
func (a *archive) write(data []byte, n int) {
	for _, part := range [][]byte{data, make([]byte, -n&3)} {
		if a.err == nil {
			_, a.err = a.w.Write(part)
		}
	}
}

func (a *archive) close() error {
	a.entry("TRAILER!!!", 0, nil)
	return a.err
}

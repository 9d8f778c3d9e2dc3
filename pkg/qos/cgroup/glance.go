//go:build linux

package cgroup

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	mostGlances  = 4096 // files of figures that stay open; what is beyond it is opened each time
	glanceUnread = 60   // turns after which one is closed that nobody reads
)

// glances are the files of figures that stay open, because they are read again and again.
type glances struct {
	open map[glanced]*glance
	most int
	turn int
}

// glanced is which file it is.
type glanced struct {
	mount *os.File // of its hierarchy
	knob
}

type glance struct {
	fd   int
	turn int // in which it was read last
}

// glance returns how a file of a group begins, false where there is none. A file of a group that is gone says nothing, so
// that of the next group of its name is opened.
func (t *Tree) glance(h hierarchy, path, file string) (string, bool) {
	if h.dir == nil {
		return "", false
	}
	key := glanced{h.dir, knob{path, file}}
	var buf [1 << 12]byte
	if g, open := t.glances.open[key]; open {
		if n, err := unix.Pread(g.fd, buf[:], 0); err == nil {
			g.turn = t.glances.turn
			return string(buf[:n]), true
		}
		t.glances.drop(key)
	}
	name := file
	if path != "" {
		name = path + "/" + file
	}
	fd, err := openFd(h.dir, name, unix.O_RDONLY)
	if err != nil {
		return "", false
	}
	n, err := unix.Pread(fd, buf[:], 0)
	if err != nil || len(t.glances.open) >= t.glances.most {
		_ = unix.Close(fd)
	} else {
		t.glances.open[key] = &glance{fd, t.glances.turn}
	}
	return string(buf[:max(n, 0)]), err == nil
}

// EndTurn closes the files of figures that nobody has read for a while.
func (t *Tree) EndTurn() {
	for key, g := range t.glances.open {
		if t.glances.turn-g.turn > glanceUnread {
			t.glances.drop(key)
		}
	}
	t.glances.turn++
}

func (g *glances) drop(key glanced) {
	_ = unix.Close(g.open[key].fd)
	delete(g.open, key)
}

func (g *glances) close() {
	for key := range g.open {
		g.drop(key)
	}
}

package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"
)

// history is what a test saves: one commit after another, each with one more file.
type history struct {
	files []Entry
	tip   Hash
}

// next returns the objects of the next commit alone.
func (h *history) next(name, content string) *Objects {
	o := NewObjects()
	h.files = append(h.files, Entry{Name: name, Mode: ModeFile, Hash: o.AddBlob([]byte(content))})
	h.tip = o.AddCommit(NewCommit{Tree: o.AddTree(h.files), Parent: h.tip, Name: "a", Time: time.Unix(1, 0)})
	return o
}

// holds says that a store has everything of a commit but the pages.
func holds(t *testing.T, s *Store, h *history) {
	t.Helper()
	c, err := s.Commit(h.tip)
	require.NoError(t, err)
	tree, err := s.Tree(c.TreeHash)
	require.NoError(t, err)
	require.Len(t, tree.Entries, len(h.files))
	for _, e := range tree.Entries {
		_, err := s.read(plumbing.BlobObject, e.Hash, logGrowth)
		require.Equal(t, e.Name != "README.md", err == nil, e.Name)
	}
}

func fileSize(t *testing.T, l *ObjectLog) int64 {
	info, err := l.file.Stat()
	require.NoError(t, err)
	return info.Size()
}

func page(name string) bool { return name == "README.md" }

// TestObjectLog: who starts again finds the commits that were appended, those that
// were never pushed as well, and nothing of others.
func TestObjectLog(t *testing.T) {
	dir, h := t.TempDir(), &history{}
	l, err := OpenObjectLog(dir)
	require.NoError(t, err)
	_, err = OpenObjectLog(dir)
	require.ErrorContains(t, err, "another process uses it")
	_, ok := l.Store(plumbing.NewHash("1111111111111111111111111111111111111111"))
	require.False(t, ok, "nothing is kept yet")
	fits, err := l.Append(h.next("lost", "because nothing was kept before it"), h.tip)
	require.NoError(t, err)
	require.True(t, fits)
	require.NoError(t, l.Replace(NewMemoryStore(), ZeroHash, page))

	h = &history{}
	_, err = l.Append(h.next("a", "first"), h.tip)
	require.NoError(t, err)
	first := *h
	_, err = l.Append(h.next("b", "second"), h.tip)
	require.NoError(t, err)
	require.NoError(t, l.Close())

	l, err = OpenObjectLog(dir)
	require.NoError(t, err)
	defer l.Close()
	for _, at := range []*history{&first, h} {
		s, ok := l.Store(at.tip)
		require.True(t, ok)
		holds(t, s, at)
	}
	_, ok = l.Store(plumbing.NewHash("1111111111111111111111111111111111111111"))
	require.False(t, ok)
}

// TestObjectLogReplaced: pages and what no commit needs any more go.
func TestObjectLogReplaced(t *testing.T) {
	l, err := OpenObjectLog(t.TempDir())
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, l.Replace(NewMemoryStore(), ZeroHash, page))
	h := &history{}
	big := string(make([]byte, logGrowth/2))
	_, err = l.Append(h.next("README.md", big+"for people"), h.tip)
	require.NoError(t, err)
	fits, err := l.Append(h.next("record", big), h.tip)
	require.NoError(t, err)
	require.False(t, fits)

	s, ok := l.Store(h.tip)
	require.True(t, ok)
	require.NoError(t, l.Replace(s, h.tip, page))
	require.Less(t, l.base, int64(logGrowth))
	base := l.base
	fits, err = l.Append(h.next("another", "small"), h.tip)
	require.NoError(t, err)
	require.True(t, fits)
	s, ok = l.Store(h.tip)
	require.True(t, ok)
	holds(t, s, h)
	require.Equal(t, base, l.base, "who starts again and again lets it grow no further")
}

// TestObjectLogTorn: wherever a log is cut or damaged, it gives a commit whole or
// not at all, and goes on from there.
func TestObjectLogTorn(t *testing.T) {
	dir, h := t.TempDir(), &history{}
	l, err := OpenObjectLog(dir)
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, l.Replace(NewMemoryStore(), ZeroHash, page))
	_, err = l.Append(h.next("a", "first"), h.tip)
	require.NoError(t, err)
	first, whole := *h, fileSize(t, l)
	_, err = l.Append(h.next("b", "second"), h.tip)
	require.NoError(t, err)
	path := filepath.Join(dir, "objects.log")
	data, err := os.ReadFile(path)
	require.NoError(t, err)

	for cut := range len(data) {
		damaged := append([]byte(nil), data...)
		damaged[cut] ^= 0x40
		for what, bytes := range map[string][]byte{"cut": data[:cut], "damaged": damaged} {
			require.NoError(t, os.WriteFile(path, bytes, 0o600))
			_, ok := l.Store(h.tip)
			other := what == "damaged" && cut < int(whole) && cut >= int(whole)-len(h.tip) // the name of the first commit
			require.Equal(t, other, ok, "%s at %d", what, cut)
			s, ok := l.Store(first.tip)
			require.Equal(t, int64(cut) >= whole, ok, "%s at %d", what, cut)
			if !ok {
				continue
			}
			holds(t, s, &first)
			on := first
			_, err = l.Append(on.next("c", "third"), on.tip)
			require.NoError(t, err)
			s, ok = l.Store(on.tip)
			require.True(t, ok, "%s at %d", what, cut)
			holds(t, s, &on)
		}
	}
}

// FuzzObjectLog: whatever lies on disk, what comes of it has the name of its content.
func FuzzObjectLog(f *testing.F) {
	f.Add([]byte(logHead), make([]byte, 20))
	blob := plumbing.ComputeHash(plumbing.BlobObject, []byte("x"))
	f.Add(append(append([]byte(logHead+"\x03"), blob[:]...), 1, 'x'), blob[:])
	f.Fuzz(func(t *testing.T, data, commit []byte) {
		var h Hash
		copy(h[:], commit)
		r := readLog(data, h)
		if r.good > int64(len(data)) || r.base > r.good {
			t.Fatalf("%d of %d bytes are good, %d the base", r.good, len(data), r.base)
		}
		for h, o := range r.objects {
			if plumbing.ComputeHash(o.kind, o.content) != h {
				t.Fatalf("%s is not the name of its content", h)
			}
		}
	})
}

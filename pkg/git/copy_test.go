package git

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/gittest"
)

// saves is a branch to which a test pushes one commit after another, each with one more
// file.
type saves struct {
	files []Entry
	tip   Hash
}

// next returns the objects of the next commit alone.
func (s *saves) next(name string, content []byte) *Objects {
	o := NewObjects()
	s.files = append(s.files, Entry{Name: name, Mode: ModeFile, Hash: o.AddBlob(content)})
	s.tip = o.AddCommit(NewCommit{Tree: o.AddTree(s.files), Parent: s.tip, Name: "a", Time: time.Unix(1, 0)})
	return o
}

// has reports whether a store has everything of the tip.
func (s *saves) has(t *testing.T, store *Store) bool {
	c, err := store.Commit(s.tip)
	if err != nil {
		return false
	}
	tree, err := store.Tree(c.TreeHash)
	if err != nil {
		return false
	}
	require.Len(t, tree.Entries, len(s.files))
	for _, e := range tree.Entries {
		if _, err := store.from.read(plumbing.BlobObject, e.Hash, 1<<30); err != nil {
			return false
		}
	}
	return true
}

// keeps reports whether a copy has everything of the tip.
func (s *saves) keeps(t *testing.T, c *Copy) bool {
	store, ok := c.Store(s.tip)
	return ok && s.has(t, store)
}

func openCopy(t *testing.T, dir string) *Copy {
	c, err := OpenCopy(dir, Limits{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// fetch gives a copy the objects of a push as if they were fetched, and accepts them.
func fetch(t *testing.T, c *Copy, objects *Objects) {
	fetchOnly(t, c, objects)
	c.Accept()
}

func fetchOnly(t *testing.T, c *Copy, objects *Objects) {
	require.NoError(t, c.NewStore().addPack(bytes.NewReader(objects.Pack()), Limits{}.withDefaults(), true))
}

// TestCopy: a process that starts again has what was fetched and pushed, also what the
// remote never got, and nothing of others.
func TestCopy(t *testing.T) {
	dir, lost := t.TempDir(), &saves{}
	c := openCopy(t, dir)
	_, err := OpenCopy(dir, Limits{})
	require.ErrorContains(t, err, "another process uses it")
	c.Append(lost.next("lost", []byte("because nothing came before it")))
	require.False(t, lost.keeps(t, c))

	for what, begin := range map[string]func(c *Copy, first *Objects){
		"a new branch":     func(c *Copy, first *Objects) { c.Clear(); c.Append(first) },
		"a fetched branch": func(c *Copy, first *Objects) { fetch(t, c, first) },
	} {
		dir, s := t.TempDir(), &saves{}
		c := openCopy(t, dir)
		begin(c, s.next("a", []byte("first")))
		first := *s
		c.Append(s.next("b", []byte("second")))
		require.False(t, c.Grown())
		require.NoError(t, c.Close())
		c = openCopy(t, dir)
		require.True(t, first.keeps(t, c), what)
		require.True(t, s.keeps(t, c), what)
		require.False(t, lost.keeps(t, c), what)
		c.Append(s.next("c", []byte("nobody knows where it belongs")))
		require.False(t, s.keeps(t, c), what)
	}
}

// TestCopyStays: what is fetched, whole or not, costs nothing of the copy until it is
// accepted.
func TestCopyStays(t *testing.T) {
	dir, s, other := t.TempDir(), &saves{}, &saves{}
	c := openCopy(t, dir)
	fetch(t, c, s.next("a", []byte("first")))
	fetchOnly(t, c, other.next("b", []byte("another branch")))
	c.Append(other.next("c", nil))
	require.False(t, c.Grown())
	require.NoError(t, c.Close())
	c = openCopy(t, dir)
	require.True(t, s.keeps(t, c))
	require.Error(t, c.NewStore().addPack(bytes.NewReader([]byte("PACK")), Limits{}.withDefaults(), true))
	c.Accept()
	require.True(t, s.keeps(t, c))
	fetch(t, c, other.next("d", nil))
	require.False(t, s.keeps(t, c))
}

// TestCopyGrows: a copy that has grown is to be fetched again, however often it is opened
// meanwhile, and is small again then.
func TestCopyGrows(t *testing.T) {
	dir, s := t.TempDir(), &saves{}
	c := openCopy(t, dir)
	c.Clear()
	large := make([]byte, copyGrowth/2+1) // which does not become smaller
	fill := uint32(1)
	for i := range large {
		fill = fill*1664525 + 1013904223
		large[i] = byte(fill >> 24)
	}
	c.Append(s.next("a", large))
	require.False(t, c.Grown())
	require.NoError(t, c.Close())
	c = openCopy(t, dir)
	require.True(t, s.keeps(t, c))
	for !c.Grown() {
		require.Less(t, c.size, int64(4*copyGrowth))
		large[0]++
		c.Append(s.next("b", large))
	}
	require.False(t, c.Overgrown())
	for !c.Overgrown() {
		require.Less(t, c.size, int64(copyExcess+4*copyGrowth))
		large[0]++
		c.Append(s.next("b", large))
	}
	origin := gittest.NewBare(t)
	remote, err := NewRemote(origin.Dir, Auth{}, Limits{})
	require.NoError(t, err)
	again := &saves{}
	objects := again.next("a", []byte("small"))
	require.NoError(t, remote.Push(t.Context(), Branch("status"), ZeroHash, again.tip, objects))
	c.Fetch(t.Context(), remote, again.tip)
	c.Append(again.next("b", large[:1000]))
	require.False(t, c.Grown())
	require.True(t, again.keeps(t, c))
	require.Less(t, c.size, int64(copyGrowth))

	c.Append(again.next("c", append(large, large...)))
	require.True(t, c.Grown())
	c.Fetch(t.Context(), remote, again.tip) // which the remote does not have
	c.Append(again.next("d", nil))
	require.False(t, again.keeps(t, c), "it is fetched at the next start")
}

// TestCopyDamaged: wherever a copy is cut off or damaged, it gives a commit whole or not
// at all.
func TestCopyDamaged(t *testing.T) {
	dir, s := t.TempDir(), &saves{}
	c := openCopy(t, dir)
	fetch(t, c, s.next("a", []byte("first")))
	first, size := *s, c.size
	c.Append(s.next("b", []byte("second")))
	path := filepath.Join(dir, "packs")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for at := range data {
		require.NoError(t, os.WriteFile(path, data[:at], 0o600))
		require.False(t, s.keeps(t, c), "cut off at %d", at)
		require.Equal(t, at == int(size), first.keeps(t, c), "cut off at %d", at)

		damaged := bytes.Clone(data)
		damaged[at] ^= 0x40
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		if store, ok := c.Store(s.tip); ok {
			for h, o := range store.from.(inMemory) {
				require.Equal(t, plumbing.ComputeHash(o.kind, o.content), h)
			}
		}
	}
}

// TestCopyOfNobody: without a copy nothing is kept.
func TestCopyOfNobody(t *testing.T) {
	var c *Copy
	s := &saves{}
	c.Clear()
	fetch(t, c, s.next("a", nil))
	c.Append(s.next("b", nil))
	require.False(t, c.Grown())
	require.False(t, s.keeps(t, c))
	require.NoError(t, c.Close())
}

// FuzzCopy: whatever lies on disk, what is read of it has the name of its content.
func FuzzCopy(f *testing.F) {
	s := &saves{}
	for _, name := range []string{"a", "b"} {
		pack := s.next(name, []byte(name)).Pack()
		f.Add(append(pack, pack...), s.tip[:])
	}
	f.Fuzz(func(t *testing.T, data, commit []byte) {
		var h Hash
		copy(h[:], commit)
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "packs"), data, 0o600))
		store, ok := openCopy(t, dir).Store(h)
		if !ok {
			return
		}
		require.Contains(t, store.from.(inMemory), h)
		for h, o := range store.from.(inMemory) {
			require.Equal(t, plumbing.ComputeHash(o.kind, o.content), h)
		}
	})
}

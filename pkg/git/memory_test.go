package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"
	"github.com/klauspost/compress/zlib"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

// packs returns packs of the real git program that hold the same objects: with
// deltas against offsets, with deltas against names, and whole.
func packs(t testing.TB) map[string][]byte {
	repo := gittest.New(t)
	body := strings.Repeat("the same line again, and again\n", 50)
	for i := range 12 {
		repo.Write("a/file", body+fmt.Sprint(i))
		repo.Write(fmt.Sprintf("b/%d", i), fmt.Sprint(i)+body)
		repo.Commit(fmt.Sprint("commit ", i))
	}
	list := repo.Git("rev-list", "--objects", "--all")
	all := map[string][]byte{}
	for name, args := range map[string][]string{
		"offsets": {"--delta-base-offset"}, "names": nil, "whole": {"--window=0"},
	} {
		cmd := repo.Command(append([]string{"pack-objects", "--stdout", "--no-reuse-delta", "-q"}, args...)...)
		cmd.Stdin = strings.NewReader(list)
		out, err := cmd.Output()
		require.NoError(t, err)
		all[name] = out
	}
	require.Less(t, len(all["offsets"]), len(all["whole"]), "there are deltas")
	return all
}

// TestMemoryStore: what is unpacked in memory is what go-git unpacks.
func TestMemoryStore(t *testing.T) {
	for name, pack := range packs(t) {
		s := NewMemoryStore()
		require.NoError(t, s.addPack(bytes.NewReader(pack), Limits{}.withDefaults(), true), name)
		want := memory.NewStorage()
		require.NoError(t, packfile.UpdateObjectStorage(want, bytes.NewReader(pack)))
		require.Len(t, s.from.(inMemory), len(want.Objects), name)
		for h, object := range want.Objects {
			r, err := object.Reader()
			require.NoError(t, err)
			content, err := io.ReadAll(r)
			require.NoError(t, err)
			got, err := s.from.read(object.Type(), h, 1<<20)
			require.NoError(t, err)
			require.Equal(t, content, got, name)
		}
		_, err := s.from.read(plumbing.BlobObject, ZeroHash, 1)
		require.ErrorIs(t, err, ErrMissing)

		for cut := 0; cut < len(pack); cut += tier.Count(7, 1, 1) {
			require.Error(t, NewMemoryStore().addPack(bytes.NewReader(pack[:cut]), Limits{}.withDefaults(), true), "cut at %d", cut)
		}
		var limits Limits
		limits.Object = 1000
		require.ErrorContains(t, NewMemoryStore().addPack(bytes.NewReader(pack), limits.withDefaults(), true), "at most 1000 are allowed")
	}
}

// TestEmptyObjectsTakeMemory: an object without content takes some ten bytes of a pack, and ten times as much in memory.
func TestEmptyObjectsTakeMemory(t *testing.T) {
	const count = 20_000
	var empty bytes.Buffer
	require.NoError(t, zlib.NewWriter(&empty).Close())
	pack := append([]byte("PACK"), 0, 0, 0, 2)
	pack = binary.BigEndian.AppendUint32(pack, count)
	for range count {
		pack = append(append(pack, byte(plumbing.BlobObject)<<4), empty.Bytes()...)
	}
	pack = append(pack, make([]byte, len(Hash{}))...)
	within := func(memory int64) error {
		return NewMemoryStore().addPack(bytes.NewReader(pack), Limits{Memory: memory}.withDefaults(), true)
	}
	require.NoError(t, within(4<<20))
	require.ErrorAs(t, within(1<<20), new(*TooMuchError))
}

// FuzzMemoryPack: a pack is foreign bytes. Whatever is taken in has the name of
// its content, and go-git, where it reads the pack too, has nothing else.
func FuzzMemoryPack(f *testing.F) {
	for _, pack := range packs(f) {
		f.Add(pack)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := NewMemoryStore()
		if err := s.addPack(bytes.NewReader(b), Limits{Object: 1 << 16}.withDefaults(), true); err != nil {
			return
		}
		for h, o := range s.from.(inMemory) {
			if plumbing.ComputeHash(o.kind, o.content) != h {
				t.Fatalf("%s is not the name of its content", h)
			}
		}
		want := memory.NewStorage()
		err := packfile.UpdateObjectStorage(want, bytes.NewReader(b))
		if err != nil && !errors.Is(err, packfile.ErrEmptyPackfile) {
			return // go-git checks the checksum at the end, too
		}
		require.Len(t, s.from.(inMemory), len(want.Objects))
	})
}

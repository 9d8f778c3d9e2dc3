package git

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/d-aros/d-aros/pkg/text"
)

const (
	maxTree       = 16 << 20 // bytes of one tree object
	maxName       = 255      // bytes of one file name
	maxLine       = 500      // bytes of one line of an error or of a commit header
	maxMessage    = 64 << 10 // bytes of the message of a commit that is made here
	treeCacheSize = 64 << 20 // bytes, roughly
)

// emptyTree is the name of a tree without entries.
var emptyTree = plumbing.ComputeHash(plumbing.TreeObject, nil)

// Mode of a tree entry, as Git writes it.
type Mode uint32

// Modes that Git knows.
const (
	ModeDir        Mode = 0o40000
	ModeFile       Mode = 0o100644
	ModeExecutable Mode = 0o100755
	ModeDeprecated Mode = 0o100664
	ModeSymlink    Mode = 0o120000
	ModeSubmodule  Mode = 0o160000
)

// Entry is one name in a tree.
type Entry struct {
	Name    string // unique in its tree and safe to print
	Mode    Mode
	Hash    Hash
	Refused string // why the entry cannot be used, "" if it can
}

// IsDir reports whether the entry is a usable directory.
func (e *Entry) IsDir() bool { return e.Refused == "" && e.Mode == ModeDir }

// Tree is the content of one directory, by name.
type Tree struct {
	Entries []Entry
}

// Find returns the named entry.
func (t *Tree) Find(name string) (*Entry, bool) {
	i, ok := slices.BinarySearchFunc(t.Entries, name, func(e Entry, n string) int { return strings.Compare(e.Name, n) })
	if !ok {
		return nil, false
	}
	return &t.Entries[i], true
}

// parseTree reads a tree object. Entries that no work tree should hold are
// kept, marked as refused under a printable name.
func parseTree(b []byte) (*Tree, error) {
	entries, err := entriesOf(b)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		e.Refused = refuseMode(e.Mode)
		if why := RefuseName(e.Name); why != "" {
			e.Name, e.Refused = escapeName(e.Name), why
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return &Tree{Entries: refuseTwins(entries)}, nil
}

// entriesOf returns the entries of a tree object as they are, safe to print or not.
func entriesOf(b []byte) (entries []Entry, err error) {
	for len(b) > 0 {
		mode, rest, ok := bytes.Cut(b, []byte{' '})
		name, rest, ok2 := bytes.Cut(rest, []byte{0})
		m, err := strconv.ParseUint(string(mode[:min(len(mode), 7)]), 8, 32)
		if !ok || !ok2 || len(rest) < 20 || len(mode) > 6 || err != nil {
			return nil, fmt.Errorf("%w: malformed tree", ErrMissing)
		}
		entries, b = append(entries, Entry{Name: string(name), Mode: Mode(m), Hash: Hash(rest[:20])}), rest[20:]
	}
	return entries, nil
}

// refuseTwins refuses entries that share a name: none can be trusted to be the
// one that others see.
func refuseTwins(entries []Entry) []Entry {
	kept := entries[:0]
	for _, e := range entries {
		if n := len(kept); n > 0 && kept[n-1].Name == e.Name {
			kept[n-1].Refused = "appears twice in its directory"
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// encodeTree writes a tree object, in the order that Git demands.
func encodeTree(entries []Entry) []byte {
	entries = slices.Clone(entries)
	key := func(e Entry) string {
		if e.Mode == ModeDir {
			return e.Name + "/"
		}
		return e.Name
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(key(a), key(b)) })
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%o %s\x00", uint32(e.Mode), e.Name)
		b.Write(e.Hash[:])
	}
	return b.Bytes()
}

func refuseMode(m Mode) string {
	switch m {
	case ModeDir, ModeFile, ModeExecutable, ModeDeprecated:
		return ""
	case ModeSymlink:
		return "is a symbolic link; links are not followed"
	case ModeSubmodule:
		return "is a submodule; submodules are not followed"
	}
	return fmt.Sprintf("has the unknown mode %o", m)
}

// RefuseName returns why an entry of that name cannot be used, "" if it can.
func RefuseName(name string) string {
	switch {
	case name == "" || name == "." || name == "..":
		return "has a name that leads elsewhere"
	case len(name) > maxName:
		return fmt.Sprintf("has a name of more than %d bytes", maxName)
	case strings.ContainsAny(name, "/\\:"):
		return "has a separator in its name"
	case !text.Valid(name):
		return "has an unprintable character in its name"
	case isDotGit(name):
		return "is named like Git's own directory"
	}
	return ""
}

// isDotGit reports whether some file system takes name for ".git": in any case,
// with ignored trailing characters, or as its short name.
func isDotGit(name string) bool {
	n := strings.ToLower(strings.TrimRight(name, ". "))
	return n == ".git" || n == "git~1"
}

// escapeName returns a printable, bounded stand-in for a refused name.
func escapeName(name string) string {
	var b strings.Builder
	for i := 0; i < len(name) && b.Len() < maxName-40; i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '~', c == '.' && b.Len() > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return cmp.Or(b.String(), "%")
}

// Tree reads a tree, from the cache if it was read before.
func (s *Store) Tree(h Hash) (*Tree, error) {
	if t, ok := s.trees.get(h); ok {
		return t, nil
	}
	if h == emptyTree {
		return &Tree{}, nil // Git knows it without storing it
	}
	b, err := s.from.read(plumbing.TreeObject, h, maxTree)
	if err != nil {
		return nil, err
	}
	t, err := parseTree(b)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", h, err)
	}
	s.trees.put(h, t, len(b)*4)
	return t, nil
}

// Find returns the entry at a path below a tree, or one that is refused on the way; the zero
// Entry if there is none. It reads only the trees on the way.
func (s *Store) Find(tree Hash, path ...string) (Entry, error) {
	e := &Entry{Mode: ModeDir, Hash: tree}
	for _, name := range path {
		if e.Refused != "" {
			return *e, nil
		} else if e.Mode != ModeDir {
			return Entry{}, nil
		}
		t, err := s.Tree(e.Hash)
		if err != nil {
			return Entry{}, err
		}
		ok := false
		if e, ok = t.Find(name); !ok {
			return Entry{}, nil
		}
	}
	return *e, nil
}

// Directory returns the name of the directory at a path below a tree, ZeroHash if there
// is none.
func (s *Store) Directory(tree Hash, path ...string) (Hash, error) {
	e, err := s.Find(tree, path...)
	if !e.IsDir() {
		return ZeroHash, err
	}
	return e.Hash, err
}

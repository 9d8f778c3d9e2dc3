package git

import (
	"bytes"
	"io/fs"
	"testing"
	"unicode"
)

// FuzzParseTree: whatever a tree object holds, what comes out has unique,
// printable names that stay in their directory, and encodes to what Git would
// call the same tree if nothing was refused.
func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00aaaaaaaaaaaaaaaaaaaa40000 b\x00aaaaaaaaaaaaaaaaaaaa"))
	f.Add([]byte("120000 ..\x00aaaaaaaaaaaaaaaaaaaa100644 a/b\x00aaaaaaaaaaaaaaaaaaaa100644 a%2Fb\x00aaaaaaaaaaaaaaaaaaaa"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tree, err := parseTree(b)
		if err != nil {
			return
		}
		refused := false
		for i, e := range tree.Entries {
			if !fs.ValidPath(e.Name) || e.Name == "." || bytes.ContainsAny([]byte(e.Name), "/\x00") || len(e.Name) > maxName {
				t.Fatalf("name %q", e.Name)
			}
			for _, r := range e.Name {
				if !unicode.IsPrint(r) {
					t.Fatalf("name %q", e.Name)
				}
			}
			if i > 0 && tree.Entries[i-1].Name >= e.Name {
				t.Fatalf("%q is not after %q", e.Name, tree.Entries[i-1].Name)
			}
			refused = refused || e.Refused != ""
		}
		if refused {
			return
		}
		again, err := parseTree(encodeTree(tree.Entries))
		if err != nil || len(again.Entries) != len(tree.Entries) {
			t.Fatalf("does not encode: %v", err)
		}
	})
}

// FuzzURL: an accepted URL is one of the known schemes and never an option.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://h/p", "git@h:p", "/p", "file:///p", "ext::sh", "-x", "ssh://u@h:22/p"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseURL(s)
		if err != nil {
			return
		}
		if a.scheme == "file" {
			if a.path == "" || a.path[0] != '/' {
				t.Fatalf("path %q", a.path)
			}
			return
		}
		if a.host == "" || a.host[0] == '-' || a.path == "" {
			t.Fatalf("%+v", a)
		}
		if _, err := a.endpoint(); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

// FuzzCheckPack: a pack is foreign bytes.
func FuzzCheckPack(f *testing.F) {
	o := NewObjects()
	o.AddBlob([]byte("x"))
	f.Add(o.Pack())
	f.Fuzz(func(_ *testing.T, b []byte) { _ = checkPack(bytes.NewReader(b), 1<<16) })
}

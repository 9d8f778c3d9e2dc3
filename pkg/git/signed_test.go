package git

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const signedCommit = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n" +
	"parent 1111111111111111111111111111111111111111\n" +
	"parent 2222222222222222222222222222222222222222\n" +
	"author Ada <ada@example.com> 1000000000 +0100\n" +
	"committer Bob > <bob@example.com> 1000000100 -0730\n" +
	"encoding UTF-8\n" +
	"gpgsig -----BEGIN SSH SIGNATURE-----\n U1NI\n \n -----END SSH SIGNATURE-----\n" +
	"mergetag object 1\n type commit\n gpgsig not a header\n" +
	"\n" +
	"subject\n\ngpgsig not a header either\n"

func TestParseSigned(t *testing.T) {
	s := ParseSigned([]byte(signedCommit))
	require.Empty(t, s.Refused)
	require.EqualValues(t, 1000000100, s.Time.Unix())
	require.Len(t, s.Parents, 2)
	require.Equal(t, "-----BEGIN SSH SIGNATURE-----\nU1NI\n\n-----END SSH SIGNATURE-----\n", string(s.Signature))
	require.Equal(t, strings.Replace(signedCommit, "gpgsig -----BEGIN SSH SIGNATURE-----\n U1NI\n \n -----END SSH SIGNATURE-----\n", "", 1), string(s.Payload))

	unsigned := "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n"
	s = ParseSigned([]byte(unsigned + "\n"))
	require.Nil(t, s.Signature)
	require.Equal(t, unsigned+"\n", string(s.Payload), "an empty message")
	require.Equal(t, unsigned, string(ParseSigned([]byte(unsigned)).Payload), "no message at all")
}

// TestParseSignedRefuses: a commit in which two readers could see two things is
// refused, so that a signature cannot be about the one and count for the other.
func TestParseSignedRefuses(t *testing.T) {
	change := func(old, new string) string {
		require.Contains(t, signedCommit, old)
		return strings.Replace(signedCommit, old, new, 1)
	}
	for name, c := range map[string]string{
		"second tree":          change("author", "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor"),
		"late parent":          change("encoding UTF-8", "parent 1111111111111111111111111111111111111111"),
		"late tree":            change("encoding UTF-8", "tree 1111111111111111111111111111111111111111"),
		"second committer":     change("encoding UTF-8", "committer A <a> 1 +0000"),
		"second author":        change("committer", "author A <a> 1 +0000\ncommitter"),
		"no committer":         change("committer Bob > <bob@example.com> 1000000100 -0730\n", ""),
		"short tree":           change("4b825dc642cb6eb9a060e54bf8d69288fbee4904", "4b825dc6"),
		"no tree":              change("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n", ""),
		"two signatures":       change("encoding UTF-8", "gpgsig x"),
		"other object format":  change("encoding UTF-8", "gpgsig-sha256 x"),
		"continued tree":       change("\nparent", "\n x\nparent"),
		"continued committer":  change("\nencoding UTF-8", "\n x"),
		"NUL":                  change("UTF-8", "UTF\x00-8"),
		"no time":              change("1000000100 -0730", "yesterday"),
		"time before all time": change("1000000100 -0730", "-5 -0730"),
		"empty":                "",
		"only a message":       "\n\nhello",
	} {
		s := ParseSigned([]byte(c))
		require.NotEmpty(t, s.Refused, name)
	}
}

// FuzzParseSigned: what is taken apart can be put together again, and nothing
// outside of the signature escapes what is signed.
func FuzzParseSigned(f *testing.F) {
	f.Add([]byte(signedCommit))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := ParseSigned(b)
		if s.Refused != "" {
			if s.Payload != nil || s.Signature != nil {
				t.Fatal("refused, and yet something")
			}
			return
		}
		if s.Signature == nil {
			if !bytes.Equal(bytes.TrimSuffix(s.Payload, []byte("\n")), bytes.TrimSuffix(b, []byte("\n"))) {
				t.Fatalf("payload %q", s.Payload)
			}
			return
		}
		header := "gpgsig " + strings.ReplaceAll(strings.TrimSuffix(string(s.Signature), "\n"), "\n", "\n ") + "\n"
		i := bytes.Index(append(b, '\n'), []byte("\n"+header))
		if i < 0 {
			t.Fatalf("signature %q", s.Signature)
		}
		rest := string(b[:i+1]) + string(b[min(len(b), i+1+len(header)):])
		if strings.TrimSuffix(rest, "\n") != strings.TrimSuffix(string(s.Payload), "\n") {
			t.Fatalf("payload %q, want %q", s.Payload, rest)
		}
	})
}

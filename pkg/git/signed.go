package git

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/d-aros/d-aros/pkg/text"
)

// Signed is a commit split into the signed payload and the signature.
type Signed struct {
	Tree      Hash
	Parents   []Hash
	Author    string    // name <email>, fit to print
	Time      time.Time // the committer's
	Payload   []byte    // the signed bytes: the commit without the signature
	Signature []byte    // armored; nil: there is none

	// Refused is the reason why the commit cannot be read in exactly one way, "" if it
	// can. If it is set, only Author is set besides.
	Refused string
}

// Signed reads a commit as Git does when it checks a signature. A commit that another
// program could read differently is refused.
func (s *Store) Signed(h Hash) (Signed, error) {
	c, err := s.Commit(h)
	if err != nil {
		return Signed{}, err
	}
	b, err := s.from.read(plumbing.CommitObject, h, maxCommit)
	if err != nil {
		return Signed{}, err
	}
	signed := ParseSigned(b)
	if signed.Refused == "" && (signed.Tree != c.TreeHash || !slices.Equal(signed.Parents, c.ParentHashes)) {
		signed = Signed{Refused: "has headers that can be read in two ways"}
	}
	signed.Author = text.Line(c.Author.Name+" <"+c.Author.Email+">", maxLine)
	return signed, nil
}

// signatureHeader begins the header that holds the signature. That of another
// object format begins alike.
const signatureHeader = "gpgsig"

// ParseSigned takes a commit object apart: tree, parents, author and committer,
// each where Git writes it and nowhere else, then other headers, of which one
// may be the signature, then the message.
func ParseSigned(b []byte) Signed {
	refuse := func(why string) Signed { return Signed{Refused: why} }
	header, _, ok := bytes.Cut(b, []byte("\n\n"))
	if !ok {
		header = bytes.TrimSuffix(b, []byte("\n"))
	}
	if bytes.IndexByte(header, 0) >= 0 {
		return refuse("has a NUL character in its headers")
	}
	var s Signed
	var found []string // names of the headers so far
	signature := false // the line before belongs to it
	payload := make([]byte, 0, len(b))
	for line := range bytes.Lines(header) {
		line := bytes.TrimSuffix(line, []byte("\n"))
		if bytes.HasPrefix(line, []byte(" ")) {
			switch {
			case len(found) == 0 || slices.Contains([]string{"tree", "parent", "author", "committer"}, found[len(found)-1]):
				return refuse("has a header that goes on where none may")
			case signature:
				s.Signature = append(append(s.Signature, line[1:]...), '\n')
			default:
				payload = append(append(payload, line...), '\n')
			}
			continue
		}
		name, value, _ := strings.Cut(string(line), " ")
		if why := s.header(name, value, found); why != "" {
			return refuse(why)
		}
		found = append(found, name)
		if signature = name == signatureHeader; signature {
			s.Signature = append([]byte(value), '\n')
			continue
		}
		payload = append(append(payload, line...), '\n')
	}
	if !slices.Contains(found, "committer") {
		return refuse("has no committer")
	}
	s.Payload = append(payload, b[min(len(b), len(header)+1):]...)
	return s
}

// header reads one header after those in found, or returns why it is refused.
func (s *Signed) header(name, value string, found []string) (refused string) {
	last := ""
	if len(found) > 0 {
		last = found[len(found)-1]
	}
	ok := true
	switch name {
	case "tree":
		s.Tree, ok = ParseHash(value)
		ok = ok && last == ""
	case "parent":
		var parent Hash
		parent, ok = ParseHash(value)
		ok = ok && (last == "tree" || last == "parent")
		s.Parents = append(s.Parents, parent)
	case "author":
		ok = last == "tree" || last == "parent"
	case "committer":
		s.Time, ok = headerTime(value)
		ok = ok && last == "author"
	default:
		ok = slices.Contains(found, "committer") && (name != signatureHeader || value != "")
		if strings.HasPrefix(name, signatureHeader) && (name != signatureHeader || slices.Contains(found, name)) {
			return "has more than one signature, or one of another object format"
		}
	}
	if !ok {
		return "has headers that are malformed or out of order"
	}
	return ""
}

// headerTime reads the seconds at the end of an author or committer.
func headerTime(value string) (time.Time, bool) {
	fields := strings.Fields(value[strings.LastIndexByte(value, '>')+1:])
	if len(fields) != 2 {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 62)
	return time.Unix(seconds, 0).UTC(), err == nil && seconds >= 0
}

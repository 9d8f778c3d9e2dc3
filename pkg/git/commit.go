package git

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/d-aros/d-aros/pkg/text"
)

// NewCommit describes a commit to be made.
type NewCommit struct {
	Tree, Parent Hash // a ZeroHash parent: the first commit
	Name, Email  string
	Time         time.Time
	Message      string
}

// AddCommit puts a commit into the set and returns its name.
func (o *Objects) AddCommit(c NewCommit) Hash { return o.add(plumbing.CommitObject, c.encode()) }

// Signer signs the content of a commit and returns an armored signature. A
// Signer of go-git is one.
type Signer interface {
	Sign(message io.Reader) ([]byte, error)
}

// AddSignedCommit puts a commit into the set, signed where Git looks for a
// signature, and returns its name. nil: nobody signs it.
func (o *Objects) AddSignedCommit(c NewCommit, by Signer) (Hash, error) {
	if by == nil {
		return o.AddCommit(c), nil
	}
	payload := c.encode()
	signature, err := by.Sign(bytes.NewReader(payload))
	if err != nil {
		return ZeroHash, fmt.Errorf("sign commit: %w", err)
	}
	header, message, _ := bytes.Cut(payload, []byte("\n\n"))
	var b bytes.Buffer
	b.Write(header)
	lines := strings.Split(strings.TrimSuffix(string(signature), "\n"), "\n")
	fmt.Fprintf(&b, "\n%s %s\n\n%s", signatureHeader, strings.Join(lines, "\n "), message)
	return o.add(plumbing.CommitObject, b.Bytes()), nil
}

// encode writes the commit object, without a signature.
func (c *NewCommit) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	if c.Parent != ZeroHash {
		fmt.Fprintf(&b, "parent %s\n", c.Parent)
	}
	who := fmt.Sprintf("%s <%s> %d +0000", identity(c.Name), identity(c.Email), c.Time.Unix())
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", who, who, text.Lines(c.Message, maxMessage))
	return b.Bytes()
}

// identity removes characters that would break the header of a commit.
func identity(s string) string {
	return text.Line(strings.NewReplacer("<", "", ">", "").Replace(s), maxLine)
}

// BlobHash returns the name that the content of a file has.
func BlobHash(content []byte) Hash { return plumbing.ComputeHash(plumbing.BlobObject, content) }

// AddBlob puts the content of a file into the set and returns its name.
func (o *Objects) AddBlob(content []byte) Hash { return o.add(plumbing.BlobObject, content) }

// AddTree puts a directory into the set and returns its name. The entries may
// come in any order.
func (o *Objects) AddTree(entries []Entry) Hash {
	return o.add(plumbing.TreeObject, encodeTree(entries))
}

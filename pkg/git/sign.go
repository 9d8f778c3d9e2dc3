package git

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Signer signs the content of a commit and returns an armored signature. A
// Signer of go-git is one.
type Signer interface {
	Sign(message io.Reader) ([]byte, error)
}

// AddSignedCommit puts a commit into the set, signed where Git looks for a
// signature, and returns its name.
func (o *Objects) AddSignedCommit(c NewCommit, by Signer) (Hash, error) {
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

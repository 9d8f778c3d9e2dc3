package status

import (
	"time"

	"github.com/d-aros/d-aros/pkg/git"
)

// Committed returns when a commit of the branch was made that Load, At, Log or History read. It is the zero time for any other
// one.
func (b *Branch) Committed(commit string) time.Time {
	h, ok := git.ParseHash(commit)
	if !ok {
		return time.Time{}
	}
	at := b.shown.Load().arrived
	if at.commit != h {
		at.signed, _, _ = b.archive.signed(h)
	}
	return at.signed.Time
}

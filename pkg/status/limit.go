package status

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/d-aros/d-aros/pkg/git"
)

// bounds are the limits of what is read at one commit.
type bounds struct {
	git.FileLimits
	bytes int64 // of all records
}

// limits are those of the branch: what is read and what is written are held to the same.
func (b *Branch) limits() bounds {
	l := bounds{limits, cmp.Or(b.o.Memory, defaultMemory)}
	l.Count = min(cmp.Or(b.o.Files, DefaultFiles), MaxFiles)
	return l
}

// within adds to an error of a branch that is too large what to do, and remembers the
// number of its files.
func (b *Branch) within(err error) error {
	b.refused = 0
	if many := (*git.TooManyFilesError)(nil); errors.As(err, &many) {
		b.refused = many.Files
		return fmt.Errorf("%w; raise --status-files, or divide the fleet", err)
	}
	if much := (*git.TooMuchError)(nil); errors.As(err, &much) {
		return fmt.Errorf("%w; if the branch is right, raise --status-memory", err)
	}
	return err
}

// FilesUsed returns which part of the files that the branch may have it has, or would
// have with the save that was refused last.
func (b *Branch) FilesUsed() float64 {
	now := b.shown.Load()
	files := now.refused
	if files == 0 && now.state != nil {
		files = now.state.tree.count
	}
	return float64(files) / float64(b.limits().Count)
}

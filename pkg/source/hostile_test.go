package source_test

import (
	"testing"

	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/texttest"
)

// TestWhatACommitSaysIsALine: the author and the subject of a commit are anybody's text.
func TestWhatACommitSaysIsALine(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("fleet.cue", "package fleet\n")
	for _, said := range []string{"fix \u202egnp.exe", "fix \x1b[31mred \u009b31m", "fix \xff\xfe pay\u200bpal", "fix \u2028 \u2066"} {
		repo.Git("add", "-A")
		repo.Git("-c", "i18n.commitEncoding=latin1", "commit", "-q", "--allow-empty", "-m", said, "--author", said+" <a@b.c>")
		s, err := open(t, source.Options{URL: repo.Dir}).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		texttest.Line(t, s.Subject, 500)
		texttest.Line(t, s.Author, 500)
	}
}

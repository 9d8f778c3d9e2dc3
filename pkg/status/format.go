package status

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// Format is the version of the branch's layout and records. A minor version adds
// optional fields at the top level of records; a major version changes anything.
type Format struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

// Current is the format that this program writes. It reads this major version and
// the one before, and Branch.Migrate can write both.
var Current = Format{Major: 2, Minor: 3}

// Oldest is the oldest major version that this program reads and writes.
const Oldest = 1

func (f Format) String() string { return fmt.Sprintf("%d.%d", f.Major, f.Minor) }

// newer reports whether f has fields that g does not have.
func (f Format) newer(g Format) bool {
	return f.Major > g.Major || f.Major == g.Major && f.Minor > g.Minor
}

// FormatError reports a branch in a major format that this program does not know.
type FormatError struct {
	Format  Format
	Program string // the version that wrote the branch, "" if it is not known
}

func (e *FormatError) Error() string {
	use := "the version that wrote it"
	if e.Program != "" {
		use = e.Program
	}
	return fmt.Sprintf("status branch has format %s; this program reads %d and %d: use %s or newer (docs/upgrade.md)",
		e.Format, Oldest, Current.Major, use)
}

// NotLedgerError reports a branch that declares a fleet and holds no ledger.
type NotLedgerError struct{ File string }

func (e *NotLedgerError) Error() string {
	return fmt.Sprintf("it holds %s, so it is a branch of the fleet repo and no ledger; name the branch of the ledger with --status-branch", text.Clean(e.File))
}

// readFormat returns the format of a tree of the branch. A tree without a format
// file has format 1, in which there was none.
func readFormat(fsys fs.FS) (Format, error) {
	b, err := fs.ReadFile(fsys, formatFile)
	if errors.Is(err, fs.ErrNotExist) {
		if stray := strayRecord(fsys); stray != "" {
			return Format{}, fmt.Errorf("%s is missing, but there is %s; %s", formatFile, stray, restore)
		}
		if found, err := fs.Glob(fsys, "*.cue"); err == nil && len(found) > 0 {
			return Format{}, &NotLedgerError{found[0]}
		}
		return Format{Major: 1}, nil
	}
	if err != nil {
		return Format{}, fmt.Errorf("read status branch: %w", err)
	}
	return decodeFormat(b)
}

// decodeFormat reads a format file. One of a newer format may have more fields.
func decodeFormat(b []byte) (Format, error) {
	var f Format
	_, err := decode(b, &f, true)
	switch {
	case err != nil:
		return f, damaged(formatFile, err)
	case f.Major < Oldest || f.Minor < 0:
		return f, damaged(formatFile, fmt.Errorf("there is no format %s", f))
	case f.Major > Current.Major:
		return f, &FormatError{Format: f}
	}
	return f, nil
}

// strayRecord returns a record in JSON, "" if there is none.
func strayRecord(fsys fs.FS) string {
	for _, pattern := range []string{problemsFile, "inputs/*.json", tenantsDir + "/*/*.json", tenantsDir + "/*/*/*.json"} {
		if found, _ := fs.Glob(fsys, pattern); len(found) > 0 { // it fails of a malformed pattern only
			return found[0]
		}
	}
	return ""
}

// restore is what to do about a damaged branch.
const restore = `restore the branch with "git revert" (docs/status-branch.md)`

// damageError reports a file that no program of ours writes so.
type damageError struct{ file, reason string }

func (e *damageError) Error() string {
	return fmt.Sprintf("%s is damaged: %s; %s", e.file, e.reason, restore)
}

func damaged(name string, err error) error { return &damageError{name, text.Line(err.Error(), 300)} }

// guard is the content of guardFile in format 2. A program that knows only format 1
// takes a branch without records of that format for an empty one and would begin
// anew; this file makes it stop and say why.
const guard = `# Programs that read only format 1 stop at this file. See docs/upgrade.md.
this-branch-needs-a-newer-program: true
`

// guardFile is where format 1 has the source commit.
var guardFile = inFormat1(sourceFile)

// inFormat1 returns the name that a record has in format 1, which is YAML.
func inFormat1(name string) string { return strings.TrimSuffix(name, ".json") + ".yaml" }

// name returns the name of a record in a format.
func (f Format) name(name string) string {
	if f.Major == 1 {
		return inFormat1(name)
	}
	return name
}

// isRecord reports whether a file of a tree is a record of the format.
func (f Format) isRecord(name string) bool {
	if f.Major > 1 && slices.Contains([]string{formatFile, guardFile, orphansFile, groupQuotaFile, usageFile}, name) {
		return true
	}
	list := []string{problemsFile, ledgerFile, sourceFile, platformFile, capacityFile}
	if dir, base := path.Split(name); strings.HasPrefix(dir, tenantsDir+"/") {
		switch strings.Count(dir, "/") {
		case 2:
			list, name = []string{tenantFile, quotaFile}, base
		case 3:
			list, name = []string{instanceFile, specFile, previousFile, workflowFile, decisionFile}, base
		}
	}
	return slices.ContainsFunc(list, func(record string) bool { return name == f.name(record) })
}

// release is how released programs are named.
var release = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+[-.+0-9A-Za-z]{0,60}$`)

// programOf returns the version of the program that wrote a commit, "" if the commit
// does not say so.
func programOf(message string) string {
	for word := range strings.FieldsSeq(trailer(message, writtenBy)) {
		if release.MatchString(word) {
			return word
		}
	}
	return ""
}

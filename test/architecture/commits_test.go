package architecture

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// git asks Git about this checkout. Where the sources are none, the test is skipped; CI always has one.
func git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("this is not a Git checkout: %v", err)
	}
	require.NoError(t, err, "git %v", args)
	return strings.TrimSpace(string(out))
}

// TestCommitMessages checks the commits after the first release. What this process reads does not tell when a commit was
// added, so CI runs it with -count 1.
func TestCommitMessages(t *testing.T) {
	tags := git(t, "tag", "--list", "v*", "--merged", "HEAD", "--sort", "creatordate")
	first, _, _ := strings.Cut(tags, "\n")
	if first == "" {
		t.Skip("there is no tag of a release yet, so no commit comes after it")
	}
	for entry := range strings.SplitSeq(git(t, "log", "-z", "--no-merges", "--format=%h %B", first+"..HEAD"), "\x00") {
		name, message, _ := strings.Cut(entry, " ")
		for _, fault := range faultsOf(message) {
			t.Errorf("commit %s: %s (CONTRIBUTING.md, Commits)", name, fault)
		}
	}
}

// faultsOf returns what a commit message lacks.
func faultsOf(message string) (faults []string) {
	if message == "" {
		return nil
	}
	subject, rest, _ := strings.Cut(message, "\n")
	if n := len([]rune(subject)); n > 72 {
		faults = append(faults, "the subject is longer than 72 characters")
	}
	if where, what, ok := strings.Cut(subject, ": "); !ok || where == "" || what == "" {
		faults = append(faults, "the subject is not \"directory: verb what changes\"")
	}
	if strings.HasSuffix(subject, ".") {
		faults = append(faults, "the subject ends with a full stop")
	}
	body := false
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		key, _, isTrailer := strings.Cut(line, ": ")
		body = body || line != "" && !(isTrailer && strings.Contains(key, "-") && !strings.Contains(key, " "))
	}
	if !body {
		faults = append(faults, "no body says what was, what is now, and why")
	}
	return faults
}

func TestFaultsOfCommitMessages(t *testing.T) {
	const body = "\n\nIt was so. It is otherwise now, because.\n"
	require.Empty(t, faultsOf("lifecycle: keep draining workloads out of arbitration"+body))
	require.Empty(t, faultsOf("test/release: name a commit in 72 characters, the last of which is here "[:72]+body))
	for message, fault := range map[string]string{
		"lifecycle: keep draining workloads out of arbitration":                                     "no body",
		"lifecycle: keep draining workloads\n\nSigned-off-by: Ann <ann@example.com>\n":              "no body",
		"lifecycle: keep draining workloads out of arbitration, and all those that wait too" + body: "longer than 72",
		"keep draining workloads out of arbitration" + body:                                         "directory: verb",
		"lifecycle: keep draining workloads." + body:                                                "full stop",
	} {
		require.Len(t, faultsOf(message), 1, message)
		require.Contains(t, faultsOf(message)[0], fault)
	}
}

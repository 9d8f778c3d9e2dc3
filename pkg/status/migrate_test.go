package status_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// load reads a branch as a process that starts.
func load(t testing.TB, repo *gittest.Repo) model.Ledger {
	t.Helper()
	l, err := open(t, repo.Dir).Load(t.Context())
	require.NoError(t, err)
	return content(l)
}

// content is a ledger without the revisions, which differ from format to format.
func content(l model.Ledger) model.Ledger {
	l.Instances, l.Decisions, l.Revision = slices.Clone(l.Instances), slices.Clone(l.Decisions), model.Revision{}
	for i := range l.Instances {
		l.Instances[i].Revision = model.Revision{}
	}
	for i := range l.Decisions {
		l.Decisions[i].Revision = model.Revision{}
	}
	return l
}

// yaml lists the YAML files of a tree.
func yaml(repo *gittest.Repo, tree string) (names []string) {
	for name := range strings.FieldsSeq(repo.Git("ls-tree", "-r", "--name-only", tree)) {
		if strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
	}
	return names
}

// saysWhatItSaid demands that every cell of a table and every other line of the old pages stands on the new page of the
// same file, too, whatever columns there are now. Of what the old ones cut, it is the beginning.
func saysWhatItSaid(t *testing.T, old, now string) {
	t.Helper()
	said := map[string]string{}
	for line := range strings.Lines(now) {
		file, text, _ := strings.Cut(line, "README.md:")
		said[file] += text
	}
	lines := strings.Split(old, "\n")
	for i, line := range lines {
		file, text, _ := strings.Cut(line, "README.md:")
		if strings.HasPrefix(text, "| ---") || i+1 < len(lines) && strings.HasPrefix(lines[i+1], file+"README.md:| ---") {
			continue // columns
		}
		for cell := range strings.SplitSeq(strings.Trim(text, "| "), " | ") {
			if cut := strings.Index(cell, "…"); cut > 50 {
				cell = cell[:50]
			}
			if cell == "schema" {
				cell = "that nobody set"
			}
			require.Contains(t, said[file], strings.TrimSpace(cell), file)
		}
	}
}

// TestMigration: the first save of this program is one commit that writes the same
// ledger in the current format, and readers of the past read both sides of it.
func TestMigration(t *testing.T) {
	repo := format1(t)
	old := repo.Git("rev-parse", "status")
	b := open(t, repo.Dir)
	before, err := b.Load(t.Context())
	require.NoError(t, err)
	events, err := b.Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)

	_, changed, err := b.Commit(t.Context(), before, before)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, old, repo.Git("rev-parse", "status^"), "one commit")
	require.Equal(t, "migrate from format 1.0 to 2.3", repo.Git("log", "-1", "--format=%s", "status"))
	require.Contains(t, repo.Git("log", "-1", "--format=%B", "status"), "Transitions: 0")
	named := regexp.MustCompile("(spec|release) `[0-9a-f]{8}`")            // what runs has another name since there are releases
	asked := regexp.MustCompile("(?m):\\| `[0-9a-f]+` \\| `([a-z]+)` \\|") // the run that a request names has a column since then
	cores := regexp.MustCompile(`([(|] ?)([0-9]+)m( of| \|)`)              // tables write them in full
	newer := regexp.MustCompile(`\n\S+README.md:\n\S+README.md:(\*\*This branch is not signed|Isolation: open, ).*`)
	pages := func(commit string) string {
		said := named.ReplaceAllString(repo.Git("grep", "", commit+"^{tree}", "--", "*.md"), "release")
		said = newer.ReplaceAllString(said, "")
		said = cores.ReplaceAllStringFunc(said, func(cell string) string {
			part := cores.FindStringSubmatch(cell)
			milli, err := strconv.ParseFloat(part[2], 64)
			require.NoError(t, err)
			return part[1] + strconv.FormatFloat(milli/1000, 'f', -1, 64) + part[3]
		})
		return asked.ReplaceAllString(strings.NewReplacer("| Run | Action |", "| Action |", "| --- | --- | --- | --- | --- | --- |", "| --- | --- | --- | --- | --- |").Replace(said), ":| `$1` |")
	}
	words := strings.NewReplacer("**guaranteed**", "**within guarantee**", "**entitled**", "**within fair share**", "**beyond**", "**borrowing**",
		"Each of these alone would admit it:", "When it was decided, each of these alone would have been enough:",
		" entitled |", " within fair share |", " Entitled to |", " Fair share |", repo.Git("rev-parse", old+"^{tree}"), repo.Git("rev-parse", "status^{tree}"))
	saysWhatItSaid(t, words.Replace(strings.ReplaceAll(pages(old), old, "status")), pages("status"))
	require.Equal(t, []string{"inputs/source.yaml"}, yaml(repo, "status"))
	require.Equal(t, content(before), load(t, repo))

	after, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, content(before), content(after))
	_, changed, err = b.Commit(t.Context(), after, after)
	require.NoError(t, err)
	require.False(t, changed, "it migrates once")

	again, err := b.Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)
	require.Equal(t, events, again, "a migration is no event")
	entries, err := b.History(t.Context(), "", shop(), 1000)
	require.NoError(t, err)
	require.Equal(t, 187, len(entries))
	require.Empty(t, entries[0].Changes)

	// What changes at the same time is the next commit of the same push.
	repo = format1(t)
	b = open(t, repo.Dir)
	before, err = b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), before, move(before, model.PhaseDegraded, noon))
	require.NoError(t, err)
	require.Equal(t, "migrate from format 1.0 to 2.3", repo.Git("log", "-1", "--format=%s", "status^"))
	require.Equal(t, old, repo.Git("rev-parse", "status^^"))

	c, err := b.Compact(t.Context(), status.CompactOptions{Since: time.Date(2026, 11, 1, 13, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	require.NotZero(t, c.Folded)
	migrated := load(t, repo)
	require.Equal(t, content(before).Instances[1:], migrated.Instances[1:])
	_, err = open(t, repo.Dir).Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)
}

// TestMigrateBack: what this program says can be written in the format before, and
// what that has no place for is listed.
func TestMigrateBack(t *testing.T) {
	repo := format1(t)
	before := load(t, repo)
	b := open(t, repo.Dir)
	m, err := b.Migrate(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, "1.0 2.3", m.From.String()+" "+m.To.String())
	require.Equal(t, m.Commit, repo.Git("rev-parse", "status"))

	m, err = b.Migrate(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, m.Lacks, 1)
	require.Contains(t, m.Lacks[0], "tenants/acme/shop/spec.json: the digest that programs of format 1 give a spec with secrets")
	require.Equal(t, before, load(t, repo))
	require.Equal(t, repo.Git("ls-tree", "-r", "--name-only", "status"), repo.Git("ls-tree", "-r", "--name-only", "status~2"))
	for _, name := range yaml(repo, "status") {
		var was, is any
		require.NoError(t, sigsyaml.Unmarshal([]byte(repo.Git("show", "status~2:"+name)), &was))
		require.NoError(t, sigsyaml.Unmarshal([]byte(repo.Git("show", "status:"+name)), &is))
		if name == "tenants/acme/shop/spec.yaml" {
			delete(was.(map[string]any), "digest")
			delete(is.(map[string]any), "digest")
		}
		require.Equal(t, was, is, "programs of format 1 find in %s the names that they know", name)
	}

	m, err = b.Migrate(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, m.Commit, repo.Git("rev-parse", "status"), "nothing to do")
	for _, major := range []int{0, -1, 3} {
		_, err = b.Migrate(t.Context(), major)
		require.ErrorContains(t, err, "this program writes 1 and 2")
	}
	_, err = open(t, gittest.NewBare(t).Dir).Migrate(t.Context(), 1)
	require.ErrorContains(t, err, "there is no branch status yet")
}

// edit commits changes of files on the status branch, as another program would.
func edit(t testing.TB, repo *gittest.Repo, message string, change func(dir string)) {
	t.Helper()
	dir := t.TempDir()
	repo.Git("worktree", "add", "-q", "-f", dir, "status")
	change(dir)
	repo.Git("-C", dir, "add", "-A")
	repo.Git("-C", dir, "commit", "-q", "-m", message)
	repo.Git("worktree", "remove", "--force", dir)
}

// setFields adds members to a record.
func setFields(t testing.TB, name string, more map[string]any) {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	record := map[string]any{}
	require.NoError(t, json.Unmarshal(b, &record))
	for k, v := range more {
		record[k] = v
	}
	b, err = json.Marshal(record)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, b, 0o644))
}

// TestNewerMinor: fields of a newer minor format survive whatever this program saves,
// and so does the number. The program says once that it is older.
func TestNewerMinor(t *testing.T) {
	repo := gittest.NewBare(t)
	b := open(t, repo.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), empty, busyFleet())
	require.NoError(t, err)
	records := []string{"inputs/source.json", "inputs/platform.json", "inputs/capacity.json", "errors.json",
		"tenants/acme/tenant.json", "tenants/acme/shop/instance.json", "tenants/acme/shop/spec.json", "tenants/acme/shop/decision.json"}
	edit(t, repo, "a newer program", func(dir string) {
		setFields(t, filepath.Join(dir, "inputs/format.json"), map[string]any{"minor": 7, "more": "x"})
		for _, name := range records {
			setFields(t, filepath.Join(dir, name), map[string]any{"newField": map[string]any{"of": name}, "other": 1})
		}
	})
	var heard []string
	b, err = status.Open(t.Context(), status.Options{URL: repo.Dir, Dir: t.TempDir(), Notice: func(s string) { heard = append(heard, s) }})
	require.NoError(t, err)
	defer b.Close()
	for i := range 100 {
		before, err := b.Load(t.Context())
		require.NoError(t, err)
		next := move(before, []model.Phase{model.PhaseDegraded, model.PhaseRunning}[i%2], noon.Add(time.Duration(i)*time.Minute))
		next.Commit = fmt.Sprintf("%040x", i+1)
		next.Decisions[0].Message = fmt.Sprint("for the time no. ", i)
		_, _, err = b.Commit(t.Context(), before, next)
		require.NoError(t, err)
	}
	require.Len(t, heard, 1)
	require.Contains(t, heard[0], "status branch has format 2.7, this program knows 2.3")
	for _, name := range records {
		var record map[string]any
		require.NoError(t, json.Unmarshal([]byte(repo.Git("show", "status:"+name)), &record))
		require.Equal(t, map[string]any{"of": name}, record["newField"], name)
	}
	require.Contains(t, repo.Git("show", "status:inputs/format.json"), `"minor":7,"more":"x"`)

	m, err := b.Migrate(t.Context(), 1)
	require.NoError(t, err)
	require.Contains(t, m.Lacks, "tenants/acme/shop/instance.json: newField")
	require.Len(t, m.Lacks, 2*len(records)+1, "and the digest of the spec, which has a secret")
}

// TestNewerMajor: nothing is read or written of a branch in a major format that this
// program does not know, and the error says which program to use.
func TestNewerMajor(t *testing.T) {
	repo := format1(t)
	b := open(t, repo.Dir)
	before, err := b.Load(t.Context())
	require.NoError(t, err)
	edit(t, repo, "Written by a newer program\n\nWritten-By: reconciler v0.9.0 (commit abcdef123456)", func(dir string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "inputs/format.json"), []byte(`{"major": 3, "minor": 0, "more": 1}`), 0o644))
	})
	tip := repo.Git("rev-parse", "status")
	const says = "status branch has format 3.0; this program reads 1 and 2: use v0.9.0 or newer (docs/upgrade.md)"

	_, _, err = b.Commit(t.Context(), before, move(before, model.PhaseDegraded, noon))
	require.ErrorIs(t, err, status.ErrMoved)
	_, err = b.Load(t.Context())
	require.EqualError(t, err, says)
	_, err = b.Migrate(t.Context(), 2)
	require.EqualError(t, err, says)
	_, err = open(t, repo.Dir).Load(t.Context())
	require.EqualError(t, err, says)
	require.Equal(t, tip, repo.Git("rev-parse", "status"))
	_, err = status.Read(fstest.MapFS{"inputs/format.json": &fstest.MapFile{Data: []byte(`{"major": 3}`)}})
	require.EqualError(t, err, "status branch has format 3.0; this program reads 1 and 2: use the version that wrote it or newer (docs/upgrade.md)")
}

// TestOlderProgramStops: what a program of format 1 finds in a branch of format 2 is a
// file that it cannot read, and not an empty branch on which it would begin anew.
func TestOlderProgramStops(t *testing.T) {
	files, _, err := status.Written(busyFleet())
	require.NoError(t, err)
	delete(files, "inputs/format.json")
	for name := range files {
		if strings.HasSuffix(name, ".json") {
			delete(files, name) // it does not look at them
		}
	}
	_, err = status.Read(files)
	require.ErrorContains(t, err, "inputs/source.yaml")
	require.ErrorContains(t, err, "this-branch-needs-a-newer-program")
}

// TestDamagedFormat: each sentence names the file and what to do.
func TestDamagedFormat(t *testing.T) {
	record := &fstest.MapFile{Data: []byte(`{"commit": "1"}`)}
	for name, files := range map[string]fstest.MapFS{
		"inputs/format.json is missing, but there is inputs/source.json": {"inputs/source.json": record},
		"inputs/format.json is missing, but there is tenants/a/b/x.json": {"tenants/a/b/x.json": record},
		"inputs/format.json is damaged: json: cannot unmarshal string":   {"inputs/format.json": {Data: []byte(`{"major": "two"}`)}},
		"inputs/format.json is damaged: there is no format 0.0":          {"inputs/format.json": {Data: []byte(`{}`)}},
		"inputs/format.json is damaged: the file ends too early":         {"inputs/format.json": {Data: []byte(`{"major": 2`)}},
		"inputs/format.json is damaged: the key \"major\" stands there":  {"inputs/format.json": {Data: []byte(`{"major": 2, "major": 1}`)}},
	} {
		_, err := status.Read(files)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, `git revert`)
	}
}

// TestMigrationRefused: without the right to push nothing changes, and the next save
// tries again.
func TestMigrationRefused(t *testing.T) {
	repo := format1(t)
	tip := repo.Git("rev-parse", "status")
	hook(t, repo, "pre-receive", "echo 'protected branch' >&2; exit 1")
	b := open(t, repo.Dir)
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), l, l)
	require.Error(t, err)
	_, err = b.Migrate(t.Context(), 2)
	require.ErrorContains(t, err, "nothing has changed")
	require.Equal(t, tip, repo.Git("rev-parse", "status"))
	require.NoError(t, os.Remove(filepath.Join(repo.Dir, "hooks", "pre-receive")))
	_, changed, err := b.Commit(t.Context(), l, l)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, content(l), load(t, repo))
}

// TestMigrationKilled: a process that is killed before or after its push leaves a
// branch that is migrated, or is not, and the next one goes on from it.
func TestMigrationKilled(t *testing.T) {
	if dir := os.Getenv("DAROS_TEST_MIGRATE"); dir != "" {
		b, err := status.Open(context.Background(), status.Options{URL: dir, Dir: t.TempDir()})
		require.NoError(t, err)
		_, err = b.Migrate(context.Background(), 2)
		require.NoError(t, err)
		return
	}
	for _, hookName := range []string{"pre-receive", "post-receive"} {
		repo := format1(t)
		before := load(t, repo)
		pid := filepath.Join(t.TempDir(), "pid")
		// The hook waits for the file that names the process. Before the push the
		// server then refuses; afterwards that has no effect.
		hook(t, repo, hookName, fmt.Sprintf("while [ ! -s %[1]q ]; do :; done; kill -9 $(cat %[1]q); exit 1", pid))
		cmd := exec.Command(os.Args[0], "-test.run=^TestMigrationKilled$")
		cmd.Env = append(os.Environ(), "DAROS_TEST_MIGRATE="+repo.Dir)
		require.NoError(t, cmd.Start())
		require.NoError(t, os.WriteFile(pid, []byte(strconv.Itoa(cmd.Process.Pid)), 0o644))
		var ended *exec.ExitError
		require.True(t, errors.As(cmd.Wait(), &ended), "it is killed")
		require.NoError(t, os.Remove(filepath.Join(repo.Dir, "hooks", hookName)))

		b := open(t, repo.Dir)
		l, err := b.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, before, content(l))
		commits := map[string]string{"pre-receive": "212", "post-receive": "213"}[hookName]
		require.Equal(t, commits, repo.Git("rev-list", "--count", "status"))
		_, _, err = b.Commit(t.Context(), l, l)
		require.NoError(t, err)
		require.Equal(t, "213", repo.Git("rev-list", "--count", "status"))
		require.Equal(t, before, load(t, repo))
	}
}

// TestFormat1RoundTrip: what format 1 can say survives being written and read in it.
func TestFormat1RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := genLedger(t)
		if l.Platform != nil {
			l.Platform.Policy.UnreadyAfter, l.Platform.Policy.Backfill = 0, "" // it does not know them
		}
		for i := range l.Tenants {
			l.Tenants[i].Policy.UnreadyAfter, l.Tenants[i].Policy.Backfill = 0, ""
		}
		for i := range l.Instances { // the YAML library loses digits of numbers in what is opaque
			for _, spec := range []*model.Application{l.Instances[i].Spec, l.Instances[i].Previous} {
				if spec != nil {
					spec.Policy.UnreadyAfter, spec.Policy.Backfill = 0, ""
					for c := range spec.Components {
						spec.Components[c].Properties, spec.Components[c].Expect = nil, 0
					}
					*spec = spec.Seal()
				}
			}
		}
		files, err := status.Files1(l)
		require.NoError(t, err)
		back, err := status.Read(files)
		require.NoError(t, err)
		for i := range l.Decisions { // it knows no slack
			l.Decisions[i] = *status.Format{Major: 1}.Reread(&l.Decisions[i])
		}
		for i := range l.Instances { // nor moves, stages, and jobs of other names
			if refused := l.Instances[i].Refused; refused != nil {
				refused.MovesTo = model.AppID{}
			}
			if run := l.Instances[i].Run; run != nil {
				for k := range run.Commands {
					run.Commands[k].Stage = 0
				}
				for k := range run.Steps {
					run.Steps[k].Key = ""
				}
			}
		}
		require.Equal(t, asWritten(t, withoutDefaults(l)), asWritten(t, back))
	})
}

// withoutDefaults returns a ledger without the defaults of requests, which format 1 does
// not have.
func withoutDefaults(l model.Ledger) model.Ledger {
	drop := func(p *model.Policy) { p.Requests, p.DefaultRequests = "", model.Resources{} }
	told := func(grants []model.Grant) []model.Grant {
		grants = slices.Clone(grants)
		for i := range grants {
			grants[i] = grants[i].AsTold()
		}
		return grants
	}
	if l.Platform != nil {
		l.Platform = new(*l.Platform)
		l.Platform.HalfLife = 0
		drop(&l.Platform.Policy)
	}
	l.Tenants, l.Instances, l.Decisions = slices.Clone(l.Tenants), slices.Clone(l.Instances), slices.Clone(l.Decisions)
	for i := range l.Tenants {
		drop(&l.Tenants[i].Policy)
	}
	for i := range l.Instances {
		in := &l.Instances[i]
		for _, spec := range []**model.Application{&in.Spec, &in.Previous} {
			if *spec != nil {
				*spec = new(**spec)
				(*spec).Policy = new(*(*spec).Policy)
				drop((*spec).Policy)
			}
		}
		in.PreviousGrants, in.Components = told(in.PreviousGrants), slices.Clone(in.Components)
		for k := range in.Components {
			in.Components[k].Grant = in.Components[k].Grant.AsTold()
			in.Components[k].Ended = false // nor why a job takes nothing
		}
	}
	for i := range l.Decisions {
		l.Decisions[i].Grants, l.Decisions[i].Past = told(l.Decisions[i].Grants), nil
	}
	l.OverQuota, l.PastUse = nil, nil
	return l
}

// TestStandingsOfFormat1: format 1 has other names for the standings, and one for
// what is within the fair share and what is within the slack.
func TestStandingsOfFormat1(t *testing.T) {
	decision := "tenants/acme/shop/decision.yaml"
	l := busyFleet()
	for _, c := range []struct {
		standing model.Standing
		name     string
		back     model.Standing
	}{
		{model.StandingWithinGuarantee, "guaranteed", model.StandingWithinGuarantee},
		{model.StandingWithinFairShare, "entitled", model.StandingWithinFairShare},
		{model.StandingWithinSlack, "entitled", model.StandingWithinFairShare},
		{model.StandingBorrowing, "beyond", model.StandingBorrowing},
	} {
		d := &l.Decisions[0]
		d.Standing, d.Ahead = c.standing, []model.Competitor{{App: shop(), Standing: c.standing}}
		files, err := status.Files1(l)
		require.NoError(t, err)
		require.Equal(t, 2, strings.Count(string(files[decision].Data), "standing: "+c.name+"\n"), string(files[decision].Data))
		back, err := status.Read(files)
		require.NoError(t, err)
		require.Equal(t, c.back, back.Decisions[0].Standing)
		require.Equal(t, c.back, back.Decisions[0].Ahead[0].Standing)
		require.Equal(t, c.standing, l.Decisions[0].Ahead[0].Standing, "what is written stays as it is")
		require.Equal(t, c.back, status.Format{Major: 1}.Reread(d).Standing)
		require.Equal(t, c.standing, status.Current.Reread(d).Standing)

		files[decision].Data = []byte(strings.ReplaceAll(string(files[decision].Data), "standing: "+c.name, "standing: within slack"))
		_, err = status.Read(files)
		require.ErrorContains(t, err, decision+` is damaged: format 1 has no standing "within slack"`)
	}
}

// TestMigrateBackListsStandings: the way back to format 1 lists the decisions whose
// standing it has no name for.
func TestMigrateBackListsStandings(t *testing.T) {
	b := open(t, gittest.NewBare(t).Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	l := busyFleet()
	l.Decisions[0].Standing = model.StandingWithinSlack
	_, _, err = b.Commit(t.Context(), empty, l)
	require.NoError(t, err)
	m, err := b.Migrate(t.Context(), 1)
	require.NoError(t, err)
	require.Contains(t, m.Lacks, `tenants/acme/shop/decision.json: the standing "within slack"; it says "entitled"`)
}

// TestJobsInFormat1: format 1 says of jobs that failed and of those that did not run that
// they are done, so that they take no room there either. The way back lists them.
func TestJobsInFormat1(t *testing.T) {
	for _, job := range []model.ComponentState{{State: model.StateDone}, {State: model.StateNotRun}, {State: model.StateFailed, Ended: true}, {State: model.StateFailed}} {
		remote := gittest.NewBare(t)
		b := open(t, remote.Dir)
		empty, err := b.Load(t.Context())
		require.NoError(t, err)
		l := busyFleet()
		in := &l.Instances[len(l.Instances)-1]
		job.Grant = in.Components[0].Grant
		in.Components[0] = job
		saved, _, err := b.Commit(t.Context(), empty, l)
		require.NoError(t, err)
		read, _ := saved.Find(in.App)
		require.Equal(t, job, read.Components[0])

		m, err := b.Migrate(t.Context(), 1)
		require.NoError(t, err)
		lacks, listed := "tenants/beta/web/instance.json: the jobs that failed or did not run, which are done there", job.Finished() && job.State != model.StateDone
		require.Equal(t, listed, slices.Contains(m.Lacks, lacks), m.Lacks)
		after := load(t, remote)
		read, _ = after.Find(in.App)
		require.Equal(t, job.Finished(), read.Components[0].State == model.StateDone)
		require.False(t, read.Components[0].Ended)
	}
}

// FuzzMigration: whatever can be read in format 1 means the same in format 2, and
// back in format 1.
func FuzzMigration(f *testing.F) {
	files, err := status.Files1(busyFleet())
	require.NoError(f, err)
	for name, file := range files {
		f.Add(name, file.Data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if _, ours := files[name]; !ours {
			t.Skip("the branch of this target has no such record")
		}
		changed := fstest.MapFS{}
		for n, file := range files {
			changed[n] = file
		}
		changed[name] = &fstest.MapFile{Data: data}
		l, err := status.Read(changed)
		if err != nil {
			return
		}
		now, _, err := status.Written(l)
		require.NoError(t, err)
		migrated, err := status.Read(now)
		require.NoError(t, err)
		require.Equal(t, asWritten(t, l), asWritten(t, migrated))
		old, err := status.Files1(migrated)
		require.NoError(t, err)
		back, err := status.Read(old)
		require.NoError(t, err)
		require.Equal(t, asWritten(t, l), asWritten(t, back))
	})
}

// TestMergeKeyOfFormat1: YAML reads a field named "<<" as a reference to another map
// if it stands there without quotes.
func TestMergeKeyOfFormat1(t *testing.T) {
	l := busyFleet()
	l.Instances[0].Spec.Labels = map[string]string{"<<": "a", "merge-key-0-": "b", "text": "<<", "more": "\"<<\": c\n<<: d\n"}
	files, err := status.Files1(l)
	require.NoError(t, err)
	back, err := status.Read(files)
	require.NoError(t, err)
	require.Equal(t, l.Instances[0].Spec.Labels, back.Instances[0].Spec.Labels)
}

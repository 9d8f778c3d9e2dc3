package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/turn"
)

// replayer makes decisions again.
type replayer struct {
	dir      string // of the object stores, removed at the end
	store    *git.Store
	tip      git.Hash // of the status branch
	source   *source.Repository
	snap     source.Snapshot // of its tip
	assessor *assessor
	notes    []string
}

// openReplayer brings the histories of both branches here.
func (f *replayFlags) openReplayer(ctx context.Context, progressTo io.Writer) (*replayer, error) {
	dir, err := os.MkdirTemp("", "reconciler-")
	if err != nil {
		return nil, err
	}
	r := &replayer{dir: dir}
	if err := f.connectReplayer(ctx, r); err != nil {
		r.close()
		return nil, err
	}
	if r.assessor, err = newAssessor(ctx, f.fleet, f.prefix, progressTo); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// connectReplayer asks the origin of a clone. Where it cannot be asked, the clone
// has what was fetched.
func (f *replayFlags) connectReplayer(ctx context.Context, r *replayer) error {
	top, origin := clone.Origin(ctx, f.repo)
	if origin == "" {
		return f.fetch(ctx, r, f.repo)
	}
	err := f.fetch(ctx, r, origin)
	var missing *noStatusError
	if err == nil || errors.As(err, &missing) || ctx.Err() != nil {
		return err
	}
	fetched := filepath.Join(r.dir, "fetched.git")
	for _, branch := range []string{f.ledgerFlags.branch, f.branch} {
		if clone.CopyTracked(ctx, top, branch, fetched) != nil {
			return err
		}
	}
	r.closeStores()
	r.notes = append(r.notes, fmt.Sprintf("note: %v", err), "note: this is what the last \"git fetch\" brought")
	return f.fetch(ctx, r, fetched)
}

func (f *replayFlags) fetch(ctx context.Context, r *replayer, url string) error {
	auth := git.Auth{TokenFile: f.tokenFile, KeyFile: f.sshKey, KnownHosts: f.knownHosts}
	if err := git.CheckRefName(f.ledgerFlags.branch); err != nil {
		return fmt.Errorf("--status-branch: %w", err)
	}
	remote, err := git.NewRemote(url, auth, git.Limits{})
	if err != nil {
		return err
	}
	refs, err := remote.Refs(ctx)
	if err != nil {
		return err
	}
	ref, ok := refs[git.Branch(f.ledgerFlags.branch)]
	if !ok {
		return &noStatusError{branch: f.ledgerFlags.branch, repo: f.repo}
	}
	if r.store, err = git.OpenStore(filepath.Join(r.dir, "status")); err != nil {
		return err
	}
	if err := remote.Fetch(ctx, r.store, ref.Object, nil, 0); err != nil {
		return err
	}
	r.tip = ref.Commit
	r.source, err = source.Open(ctx, source.Options{URL: url, Branch: f.branch, Dir: filepath.Join(r.dir, "source"), Auth: auth})
	if err != nil {
		return err
	}
	r.snap, err = r.source.Snapshot(ctx)
	return err
}

func (r *replayer) closeStores() {
	if r.source != nil {
		_ = r.source.Close()
	}
	if r.store != nil {
		_ = r.store.Close()
	}
	r.source, r.store = nil, nil
}

func (r *replayer) close() {
	if r.assessor != nil {
		r.assessor.close()
	}
	r.closeStores()
	_ = os.RemoveAll(r.dir)
}

// find returns the commit of the status branch whose name begins so, the newest for
// "".
func (r *replayer) find(name string) (git.Hash, error) {
	if name == "" {
		return r.tip, nil
	}
	if len(name) < 4 {
		return git.ZeroHash, fmt.Errorf("%q names no commit of the status branch; give at least 4 digits", name)
	}
	for at := r.tip; at != git.ZeroHash; {
		if strings.HasPrefix(at.String(), name) {
			return at, nil
		}
		parent, err := r.parent(at)
		if err != nil {
			return git.ZeroHash, err
		}
		at = parent
	}
	return git.ZeroHash, fmt.Errorf("%q names no commit of the status branch; \"reconciler history TENANT/APPLICATION\" lists those about an application", text.Clean(name))
}

// parent is ZeroHash where the history begins.
func (r *replayer) parent(commit git.Hash) (git.Hash, error) {
	c, err := r.store.Commit(commit)
	if err != nil || len(c.ParentHashes) == 0 || !r.store.Has(c.ParentHashes[0]) {
		return git.ZeroHash, err
	}
	return c.ParentHashes[0], nil
}

// commit makes the decisions of one commit again, or that about one application. It
// returns nil if the commit made none, and the commit before it.
func (r *replayer) commit(ctx context.Context, at git.Hash, app model.AppID) (*replayCommit, git.Hash, error) {
	if err := ctx.Err(); err != nil {
		return nil, git.ZeroHash, err
	}
	before, err := r.parent(at)
	if err != nil {
		return nil, before, err
	}
	if app != (model.AppID{}) && r.sameDecision(at, before, app) {
		return nil, before, nil
	}
	after, format, err := r.recordedIn(at)
	if err != nil {
		return nil, before, fmt.Errorf("status commit %s: %w", at, err)
	}
	var ledger model.Ledger
	if before != git.ZeroHash {
		if ledger, err = ledgerAt(r.store, before); err != nil {
			return nil, before, fmt.Errorf("status commit %s: %w", before, err)
		}
	}
	recorded := madeIn(&ledger, &after, app)
	if len(recorded) == 0 || before == git.ZeroHash && !beginning(&after) {
		return nil, before, nil
	}
	made := &replayCommit{Commit: at.String(), Source: after.Commit}
	again, err := r.again(ctx, ledger, after, recorded)
	if ctx.Err() != nil {
		return nil, before, ctx.Err()
	}
	if err != nil {
		made.Problem = err.Error()
	}
	for _, was := range recorded {
		is, _ := again.Decision(was.App)
		made.Decisions = append(made.Decisions, judgeReplay(was, format.Reread(is), err == nil))
	}
	return made, before, nil
}

// recordedIn returns what a commit of the branch says, and in which format.
func (r *replayer) recordedIn(commit git.Hash) (l model.Ledger, f status.Format, err error) {
	files, err := statusFiles(r.store, commit)
	if err != nil {
		return l, f, err
	}
	if f, err = status.ReadFormat(files); err != nil {
		return l, f, err
	}
	l, err = status.Read(files)
	return l, f, err
}

// sameDecision says, without reading records, whether two commits hold the same
// decision about an application.
func (r *replayer) sameDecision(a, b git.Hash, app model.AppID) bool {
	digest := func(commit git.Hash) string {
		if commit == git.ZeroHash {
			return ""
		}
		files, err := statusFiles(r.store, commit)
		if err != nil {
			return commit.String()
		}
		d, err := status.ReadDecision(files, app) // in whichever format the commit has
		if err != nil {
			return commit.String()
		}
		return string(model.DigestOf(d))
	}
	return digest(a) == digest(b)
}

// madeIn lists the decisions that a commit holds and the one before it does not.
func madeIn(before, after *model.Ledger, app model.AppID) (list []*model.Decision) {
	for i := range after.Decisions {
		d := &after.Decisions[i]
		if app != (model.AppID{}) && d.App != app {
			continue
		}
		if old, ok := before.Decision(d.App); !ok || model.DigestOf(old) != model.DigestOf(d) {
			list = append(list, d)
		}
	}
	return list
}

// beginning reports whether a ledger is the first one ever, and not that of a branch
// whose older history was cut off: everything in it happened at one moment.
func beginning(l *model.Ledger) bool {
	for i := range l.Instances {
		in := &l.Instances[i]
		d, ok := l.Decision(in.App)
		if in.Number != 1 || ok && d.Inputs.At != l.Decisions[0].Inputs.At {
			return false
		}
		for _, t := range in.History {
			if ok && !t.At.Equal(d.Inputs.At) {
				return false
			}
		}
	}
	return true
}

// again decides as the pass did that saved after.
func (r *replayer) again(ctx context.Context, ledger, after model.Ledger, recorded []*model.Decision) (model.Ledger, error) {
	now := recorded[0].Inputs.At
	if now.IsZero() {
		return model.Ledger{}, errors.New("the time of the decision was not recorded; an older reconciler made it")
	}
	c, err := r.caseOf(ctx, after.Commit, ledger)
	if err != nil {
		return model.Ledger{}, err
	}
	if err := r.noteRefusal(&ledger, after.Commit, now); err != nil {
		return model.Ledger{}, err
	}
	c.Seen, c.Now = model.Observation{Pools: after.Pools, Workloads: asRecorded(&ledger)}, now
	return turn.Take(c).Next, nil
}

// noteRefusal notes why a source commit that was decided on is refused after what a
// ledger has recorded: a reconciler decided that did not check, or was told to trust it.
func (r *replayer) noteRefusal(ledger *model.Ledger, commit string, now time.Time) error {
	if !access.New(ledger.Platform, nil).Enforced() {
		return nil
	}
	line, err := r.source.LineTo(commit, ledger.Commit)
	if err != nil {
		return fmt.Errorf("read who signed source commit %s: %w", commit, err)
	}
	line.Pinned = true // if it lies behind what is recorded, whoever ran the program wanted it back
	verdict, err := line.Judge(access.RecordedIn(ledger), now, r.assessor.layers)
	if err == nil && verdict.Refused != nil {
		r.notes = append(r.notes, fmt.Sprintf("note: source commit %s was decided on, and is refused: %v", commit, verdict.Refused))
	}
	return err
}

// caseOf is what a pass decides on that begins with a ledger and a source commit,
// but for what is observed and the time.
func (r *replayer) caseOf(ctx context.Context, commit string, ledger model.Ledger) (turn.Case, error) {
	snap, err := r.snap.At(commit)
	if err != nil {
		return turn.Case{}, fmt.Errorf("read the source commit: %w", err)
	}
	at := func(commit string) (evaluate.Files, error) {
		older, err := snap.At(commit)
		return older.Files, err
	}
	v, err := r.assessor.assess(ctx, snap.Commit, snap.Files, at)
	if err != nil {
		return turn.Case{}, err
	}
	if turn.Platform(v.fleet, ledger) == nil {
		return turn.Case{}, errors.New("the source commit has no valid platform, and there was none before")
	}
	return turn.Case{Fleet: v.fleet, Confirmed: snap.ConfirmRemoval, Ledger: ledger}, nil
}

// judgeReplay compares what was recorded with what comes out now.
func judgeReplay(was, is *model.Decision, made bool) replayDecision {
	d := replayDecision{App: was.App, Verdict: was.Verdict, Outcome: replayUnknown, Recorded: model.DigestOf(was)}
	if !made {
		return d
	}
	d.Outcome = replayDiffers
	if is != nil {
		d.Recomputed = model.DigestOf(is)
		if d.Recomputed == d.Recorded {
			d.Outcome = replayEqual
			return d
		}
	}
	d.Was, d.Is = was, is
	return d
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/scratch"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
)

// ledgerFlags select the status branch. Most commands with these flags need nothing else: no cluster, and no access to
// the branch that declares the fleet.
type ledgerFlags struct {
	repo, statusRepo, branch      string
	tokenFile, sshKey, knownHosts string

	sign signFlags
}

func (f *ledgerFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.repo, "repo", ".", "fleet repo: an https or ssh URL, a bare repo, or a clone (the branch is read from its origin)")
	fl.StringVar(&f.statusRepo, "status-repo", "", "repo of the status branch, where it is not in the fleet repo: as for --repo")
	fl.StringVar(&f.branch, "status-branch", "status", "branch to read")
	fl.StringVar(&f.tokenFile, "token-file", "", "file with the token for https")
	fl.StringVar(&f.sshKey, "ssh-key", "", "private key for ssh")
	fl.StringVar(&f.knownHosts, "known-hosts", "", "known_hosts file for ssh (default: the user's)")
}

// ledgerReader reads the status branch of one repository.
type ledgerReader struct {
	branch *status.Branch
	dir    *scratch.Dir // of the object store, removed at the end

	clone    string // top directory of the clone at --repo, "" if it is no clone
	fleetURL string // of the fleet repo, where the status branch is in another one; else ""
	url      string // that is read: the origin of the clone, or a copy of what was fetched
	auth     source.Auth

	// stale is the reason why the origin of a clone cannot be read. Then the reader has what the last "git fetch" brought.
	stale error
}

// open finds the status branch and returns the ledger that it holds.
func (f *ledgerFlags) open(cmd *cobra.Command) (*ledgerReader, model.Ledger, error) {
	var ledger model.Ledger
	r, err := f.connect(cmd, func(b *status.Branch) (exists bool, err error) {
		ledger, err = b.Load(cmd.Context())
		return ledger.Commit != "" || len(ledger.Instances) > 0, err
	})
	return r, ledger, err
}

// openToWrite finds the status branch for a command that changes it. It needs the origin.
func (f *ledgerFlags) openToWrite(cmd *cobra.Command) (*ledgerReader, error) {
	r, _, err := f.open(cmd)
	if err == nil && r.stale != nil {
		r.close()
		err = fmt.Errorf("cannot %s: %w", cmd.Name(), r.stale)
	}
	return r, err
}

// newest returns the newest commit of the status branch, whatever format its records have.
func (f *ledgerFlags) newest(cmd *cobra.Command) (*ledgerReader, status.Newest, error) {
	var newest status.Newest
	r, err := f.connect(cmd, func(b *status.Branch) (exists bool, err error) {
		newest, err = b.Newest(cmd.Context())
		return newest.Commit != "", err
	})
	return r, newest, err
}

// latest returns the newest commit of the status branch, with its whole history.
func (f *ledgerFlags) latest(cmd *cobra.Command) (*ledgerReader, status.Saved, error) {
	var latest status.Saved
	r, err := f.connect(cmd, func(b *status.Branch) (exists bool, err error) {
		latest, exists, err = b.Latest(cmd.Context())
		return exists, err
	})
	return r, latest, err
}

// readBranch reads what a command needs, and reports whether the branch has anything.
type readBranch func(*status.Branch) (exists bool, err error)

// connect opens the status branch and reads it: at the origin of a clone or, if the origin does not answer, as the last
// "git fetch" left it, with a note to standard error.
func (f *ledgerFlags) connect(cmd *cobra.Command, read readBranch) (*ledgerReader, error) {
	dir, err := scratch.New()
	if err != nil {
		return nil, err
	}
	r := &ledgerReader{dir: dir, auth: source.Auth{TokenFile: f.tokenFile, KeyFile: f.sshKey, KnownHosts: f.knownHosts}}
	if err := f.find(cmd.Context(), r, read); err != nil {
		r.close()
		return nil, err
	}
	if r.stale != nil {
		note := fmt.Sprintf("note: %v\nnote: this is what the last \"git fetch\" brought; fetch again for the newest", r.stale)
		fmt.Fprintln(cmd.ErrOrStderr(), text.Clean(note))
	}
	return r, nil
}

func (f *ledgerFlags) find(ctx context.Context, r *ledgerReader, read readBranch) error {
	top, origin := clone.Origin(ctx, f.repo)
	r.clone, r.url = top, cmp.Or(origin, f.repo)
	if f.statusRepo != "" {
		r.fleetURL = r.url
		top, origin = clone.Origin(ctx, f.statusRepo)
		r.url = cmp.Or(origin, f.statusRepo)
	}
	err := f.read(ctx, r, read)
	var missing *noStatusError
	if err == nil || origin == "" || errors.As(err, &missing) || ctx.Err() != nil {
		return err
	}
	// Only git may have the credentials for a private host.
	r.url = filepath.Join(r.dir.Name, "fetched.git")
	if clone.CopyTracked(ctx, top, f.branch, r.url) != nil {
		return err
	}
	r.stale = err
	return f.read(ctx, r, read)
}

func (f *ledgerFlags) read(ctx context.Context, r *ledgerReader, read readBranch) error {
	signing, err := f.sign.signing()
	if err != nil {
		return err
	}
	branch, err := status.Open(ctx, status.Options{
		Signing: signing,
		URL:     r.url, Branch: f.branch, Dir: filepath.Join(r.dir.Name, "status"), Auth: r.auth, WrittenBy: "reconciler " + buildinfo.Read().String(),
		Files: status.MaxFiles, // who wrote it had a limit
	})
	if err != nil {
		return err
	}
	exists, err := read(branch)
	if err == nil && !exists {
		err = &noStatusError{branch: f.branch, repo: f.repo, statusRepo: f.statusRepo}
	}
	if err != nil {
		_ = branch.Close()
		return err
	}
	r.branch = branch
	return nil
}

// fleet opens the branch that declares the fleet. The caller closes it before the reader.
func (r *ledgerReader) fleet(ctx context.Context, branch string) (*source.Repository, error) {
	url := cmp.Or(r.fleetURL, r.url)
	if r.stale != nil && r.fleetURL == "" && clone.CopyTracked(ctx, r.clone, branch, r.url) != nil {
		return nil, r.stale
	}
	return source.Open(ctx, source.Options{URL: url, Branch: branch, Dir: filepath.Join(r.dir.Name, "source"), Auth: r.auth})
}

func (r *ledgerReader) close() {
	if r.branch != nil {
		_ = r.branch.Close()
	}
	r.dir.Remove()
}

// noStatusError reports a status branch that does not exist.
type noStatusError struct{ branch, repo, statusRepo string }

func (e *noStatusError) Error() string {
	if e.statusRepo != "" {
		return fmt.Sprintf("%s has no status branch %q yet; \"reconciler run --status-repo\" writes it, and --status-branch reads one of another name", e.statusRepo, e.branch)
	}
	return fmt.Sprintf("there is no status branch %q yet; \"reconciler run --repo %s\" writes it; --status-branch reads one of another name, and --status-repo one elsewhere", e.branch, e.repo)
}

// answer opens the status branch, asks, and writes the answer; print writes it for people.
func answer[T any](cmd *cobra.Command, from *ledgerFlags, ask func(*ledgerReader, *model.Ledger) (T, error), print func(*printer, T)) error {
	r, ledger, err := from.open(cmd)
	if err != nil {
		return err
	}
	defer r.close()
	v, err := ask(r, &ledger)
	if err != nil {
		return err
	}
	return writeAnswer(cmd, v, func(p *printer) { print(p, v) })
}

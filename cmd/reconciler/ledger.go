package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
)

// ledgerFlags say which status branch to read. The commands that have them need
// nothing else: no cluster, no access to the branch that declares the fleet.
type ledgerFlags struct {
	repo, branch                  string
	tokenFile, sshKey, knownHosts string
}

func (f *ledgerFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.repo, "repo", ".", "fleet repo: an https or ssh URL, a bare repo, or a clone (the branch is read from its origin)")
	fl.StringVar(&f.branch, "status-branch", "status", "branch to read")
	fl.StringVar(&f.tokenFile, "token-file", "", "file with the token for https")
	fl.StringVar(&f.sshKey, "ssh-key", "", "private key for ssh")
	fl.StringVar(&f.knownHosts, "known-hosts", "", "known_hosts file for ssh (default: the user's)")
}

// ledgerReader reads the status branch of one repository.
type ledgerReader struct {
	branch *status.Branch
	dir    string // of the object store, removed at the end

	clone string // top directory of the clone that was asked about, "" if it is none

	// stale is set when the origin of a clone cannot be asked, so that this is
	// what the last "git fetch" brought.
	stale error
}

// open finds the status branch and returns the ledger that it holds.
func (f *ledgerFlags) open(ctx context.Context) (*ledgerReader, model.Ledger, error) {
	var ledger model.Ledger
	r, err := f.connect(ctx, func(b *status.Branch) (exists bool, err error) {
		ledger, err = b.Load(ctx)
		return ledger.Commit != "" || len(ledger.Instances) > 0, err
	})
	return r, ledger, err
}

// newest returns the newest commit of the status branch, whatever format its records have.
func (f *ledgerFlags) newest(ctx context.Context) (*ledgerReader, status.Newest, error) {
	var newest status.Newest
	r, err := f.connect(ctx, func(b *status.Branch) (exists bool, err error) {
		newest, err = b.Newest(ctx)
		return newest.Commit != "", err
	})
	return r, newest, err
}

// connect opens the status branch and reads it: at the origin of a clone or, if the origin does not answer, as the last
// "git fetch" left it.
func (f *ledgerFlags) connect(ctx context.Context, read readBranch) (*ledgerReader, error) {
	dir, err := os.MkdirTemp("", "reconciler-")
	if err != nil {
		return nil, err
	}
	r := &ledgerReader{dir: dir}
	if err := f.find(ctx, r, read); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// readBranch reads what a command needs, and reports whether anything has been written to the branch.
type readBranch func(*status.Branch) (exists bool, err error)

func (f *ledgerFlags) find(ctx context.Context, r *ledgerReader, read readBranch) error {
	top, origin := clone.Origin(ctx, f.repo)
	r.clone = top
	if origin == "" {
		return f.read(ctx, r, f.repo, read)
	}
	err := f.read(ctx, r, origin, read)
	var missing *noStatusError
	if err == nil || errors.As(err, &missing) || ctx.Err() != nil {
		return err
	}
	// People reach private hosts with credentials that only git knows of.
	fetched := filepath.Join(r.dir, "fetched.git")
	if clone.CopyTracked(ctx, top, f.branch, fetched) != nil {
		return err
	}
	r.stale = err
	return f.read(ctx, r, fetched, read)
}

func (f *ledgerFlags) read(ctx context.Context, r *ledgerReader, url string, read readBranch) error {
	branch, err := status.Open(ctx, status.Options{
		URL: url, Branch: f.branch, Dir: filepath.Join(r.dir, "status"),
		Auth:      git.Auth{TokenFile: f.tokenFile, KeyFile: f.sshKey, KnownHosts: f.knownHosts},
		WrittenBy: "reconciler " + buildinfo.Read().String(),
	})
	if err != nil {
		return err
	}
	exists, err := read(branch)
	if err == nil && !exists {
		err = &noStatusError{branch: f.branch, repo: f.repo}
	}
	if err != nil {
		_ = branch.Close()
		return err
	}
	r.branch = branch
	return nil
}

func (r *ledgerReader) close() {
	if r.branch != nil {
		_ = r.branch.Close()
	}
	_ = os.RemoveAll(r.dir)
}

// note tells people that what they see may be old, "" if it is not.
func (r *ledgerReader) note() string {
	if r.stale == nil {
		return ""
	}
	return fmt.Sprintf("note: %v\nnote: this is what the last \"git fetch\" brought; fetch again for the newest", r.stale)
}

// noStatusError says that nobody has written the branch yet.
type noStatusError struct{ branch, repo string }

func (e *noStatusError) Error() string {
	return fmt.Sprintf("there is no status branch %q yet; \"reconciler run --repo %s\" writes it, and --status-branch reads one of another name", e.branch, e.repo)
}

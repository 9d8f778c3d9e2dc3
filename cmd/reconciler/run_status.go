package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/status"
)

// statusFlags say where run keeps the ledger.
type statusFlags struct {
	branch, repo, mirror string
	tokenFile            string
	files                int
}

func (f *statusFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.branch, "status-branch", "status", "branch that the ledger is written to")
	fl.StringVar(&f.repo, "status-repo", "", "repo of the status branch: an https or ssh URL, or a path (default: that of --repo)")
	fl.StringVar(&f.tokenFile, "status-token-file", "", "file with the token for --status-repo (default: the token in --write-token-file)")
	fl.StringVar(&f.mirror, "status-mirror", "", "repo to which the status branch is copied for people, at most 6 times a minute (default: none)")
	fl.IntVar(&f.files, "status-files", status.DefaultFiles, "number of files that the status branch may have")
}

// checkFiles refuses limits that cannot be kept.
func (f *runFlags) checkFiles() error {
	if f.fleetFiles < 1 || f.status.files < 1 || f.status.files > status.MaxFiles {
		return fmt.Errorf("--fleet-files and --status-files: use a number from 1 on, for --status-files at most %d", status.MaxFiles)
	}
	return nil
}

func (f *runFlags) statusOptions(build buildinfo.Info, log *slog.Logger) status.Options {
	token := f.writeToken()
	if f.status.repo != "" {
		token = cmp.Or(f.status.tokenFile, token)
	}
	return status.Options{
		URL: cmp.Or(f.status.repo, f.repo), Branch: f.status.branch, Dir: filepath.Join(f.stateDir, "status"), Auth: f.auth(token),
		Files: f.status.files, Keep: true, Recheck: time.Minute, WrittenBy: "reconciler " + build.String(),
		Notice: func(sentence string) { log.Warn(sentence) },
	}
}

// mirror is the mirror of the status branch, nil if there is none.
type mirror struct{ of *status.Mirror }

func (f *runFlags) openMirror(branch *status.Branch, log *slog.Logger) (mirror, error) {
	if f.status.mirror == "" || f.once || f.dryRun {
		return mirror{}, nil
	}
	m, err := status.OpenMirror(branch, status.MirrorOptions{
		URL: f.status.mirror, Dir: filepath.Join(f.stateDir, "mirror"), Auth: f.auth(f.writeToken()),
		Notice: func(sentence string) { log.Warn(sentence) },
	})
	if err != nil {
		return mirror{}, fmt.Errorf("--status-mirror: %w", err)
	}
	return mirror{m}, nil
}

func (m mirror) run(ctx context.Context) error {
	if m.of != nil {
		m.of.Run(ctx)
	}
	return nil
}

// figure returns how far the mirror is behind, nil if there is none.
func (m mirror) figure() func(time.Time) time.Duration {
	if m.of == nil {
		return nil
	}
	return m.of.Behind
}

func (m mirror) close() {
	if m.of != nil {
		_ = m.of.Close()
	}
}

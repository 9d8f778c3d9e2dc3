package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/status"
)

// statusFlags say where run keeps the ledger.
type statusFlags struct {
	branch, repo, mirror string
	tokenFile            string
	files                int
	accept               string
	sign                 signFlags
}

func (f *statusFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.branch, "status-branch", "status", "branch that the ledger is written to")
	fl.StringVar(&f.repo, "status-repo", "", "repo of the status branch: an https or ssh URL, or a path (default: that of --repo)")
	fl.StringVar(&f.tokenFile, "status-token-file", "", "file with the token for --status-repo (default: the token in --write-token-file)")
	fl.StringVar(&f.mirror, "status-mirror", "", "repo to which the status branch is copied for people, at most 6 times a minute (default: none)")
	fl.IntVar(&f.files, "status-files", status.DefaultFiles, "number of files that the status branch may have")
	f.sign.add(fl)
	f.sign.addTrust(fl, "whose commits of the status branch are believed, too: of other reconcilers, or of the key before")
	fl.StringVar(&f.accept, "status-accept", "", "commit of the status branch that this start believes as it is: to sign a branch from now on, or after nothing on it verifies")
}

// checkFiles refuses limits that cannot be kept.
func (f *runFlags) checkFiles() error {
	if f.fleetFiles < 1 || f.status.files < 1 || f.status.files > status.MaxFiles {
		return fmt.Errorf("--fleet-files and --status-files: use a number from 1 on, for --status-files at most %d", status.MaxFiles)
	}
	return nil
}

func (f *runFlags) statusOptions(build buildinfo.Info, memory int64, log *slog.Logger) (status.Options, error) {
	token := f.writeToken()
	if f.status.repo != "" {
		token = cmp.Or(f.status.tokenFile, token)
	}
	signing, err := f.status.sign.signing()
	if err != nil {
		return status.Options{}, err
	}
	switch {
	case signing != nil:
		signing.Accept, signing.Adopt = f.status.accept, f.adopt
	case f.status.accept != "" || f.status.sign.trust != "":
		return status.Options{}, errors.New("--status-accept and --status-trust need --status-key: without a key every commit is believed")
	default:
		log.Warn("the status branch is not signed: who can push to it controls what runs", "hint", "give a key with --status-key (docs/status-branch.md)")
	}
	links := model.LinksOf(f.repo, f.status.branch)
	links.Application = model.LinksOf(cmp.Or(f.status.mirror, f.status.repo, f.repo), f.status.branch).Application
	return status.Options{
		URL: cmp.Or(f.status.repo, f.repo), Links: links, Branch: f.status.branch, Dir: filepath.Join(f.stateDir, "status"), Auth: f.auth(token),
		Files: f.status.files, Memory: memory, Signing: signing, Keep: true, Recheck: time.Minute, WrittenBy: "reconciler " + build.String(),
		Nodes:  func(ledger *model.Ledger) map[string][]byte { return render.NodePlans(ledger, f.prefix) },
		Notice: func(sentence string) { log.Warn(sentence) },
	}, nil
}

// openMirror opens the mirror of the status branch, nil if there is none.
func (f *runFlags) openMirror(branch *status.Branch, log *slog.Logger) (*status.Mirror, error) {
	if f.status.mirror == "" || f.once || f.dryRun {
		return nil, nil
	}
	m, err := status.OpenMirror(branch, status.MirrorOptions{
		URL: f.status.mirror, Dir: filepath.Join(f.stateDir, "mirror"), Auth: f.auth(f.writeToken()),
		Notice: func(sentence string) { log.Warn(sentence) },
	})
	if err != nil {
		return nil, fmt.Errorf("--status-mirror: %w", err)
	}
	return m, nil
}

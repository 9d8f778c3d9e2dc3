package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// uiSaving is where drafts become branches: in the clone, and at its origin if that is asked for.
type uiSaving struct {
	push, propose, readOnly bool
	tokenFile               string

	tree   *clone.Tree
	target *clone.Target // nil: nobody proposes
}

func (u *uiSaving) add(fl *pflag.FlagSet) {
	fl.BoolVar(&u.readOnly, "read-only", false, "show the fleet only: no editor, no branches")
	fl.BoolVar(&u.push, "push", false, "push each saved branch ui/NAME to the origin of the clone, by your git")
	fl.BoolVar(&u.propose, "propose", false, "with --auth: save drafts of who signs in as branches ui/LOGIN/NAME of the clone's origin")
	fl.StringVar(&u.tokenFile, "push-token-file", "", "with --propose: file with the token that may push these branches over https")
}

// complete checks the flags, and says to the dashboard where drafts are saved.
func (u *uiSaving) complete(o *dashboard.Options) error {
	switch {
	case u.readOnly && (u.push || u.propose):
		return errors.New("--read-only: nothing is saved, so leave out --push and --propose")
	case u.push && u.propose:
		return errors.New("--push saves what you change in your clone, --propose what others change; choose one")
	case u.push && o.Gate != nil:
		return errors.New("--push: a clone saves in the name of who has it; with --auth, several people save with --propose")
	case u.propose && o.Gate == nil:
		return errors.New("--propose: the author of a change is who signs in; say with --auth who signs people in, or save in your clone with --push")
	case u.tokenFile != "" && !u.propose:
		return errors.New("--push-token-file is for --propose")
	}
	o.ReadOnly, o.Saves = u.readOnly, dashboard.SavesHere
	if u.push {
		o.Saves = dashboard.SavesPushed
	}
	if u.propose {
		o.Saves = dashboard.SavesProposed
	}
	return nil
}

// open finds where drafts are pushed to.
func (u *uiSaving) open(ctx context.Context, from *ledgerFlags, tree *clone.Tree) error {
	u.tree = tree
	if !u.push && !u.propose {
		return nil
	}
	flag := "--push"
	if u.propose {
		flag = "--propose"
	}
	top, origin := clone.Origin(ctx, from.repo)
	if origin == "" {
		return fmt.Errorf("%s: %s is no clone with an origin to push to", flag, from.repo)
	}
	if u.push {
		return nil
	}
	if strings.HasPrefix(origin, "https:") && u.tokenFile == "" {
		return fmt.Errorf("--propose: name with --push-token-file the file of a token that may push to the origin of %s", top)
	}
	if u.tokenFile != "" {
		if _, err := os.Stat(u.tokenFile); err != nil {
			return fmt.Errorf("--push-token-file: %w", err)
		}
	}
	target, err := clone.NewTarget(origin, u.tokenFile, from.sshKey, from.knownHosts)
	if err != nil {
		return fmt.Errorf("--propose: %w", err)
	}
	u.target = target
	return nil
}

// Save commits changes onto a new branch of the clone, or of its origin in the name of who asks.
func (u *uiSaving) Save(ctx context.Context, commit string, changes []clone.Change, message string, onto clone.DraftBranch) (clone.Saved, error) {
	switch {
	case u.target != nil:
		who := dashboard.WhoAsks(ctx).User
		return u.tree.Propose(ctx, commit, changes, clone.Author{Name: who, Email: who, Time: present()}, message, onto, u.target)
	case u.push:
		return u.tree.SaveAndPush(ctx, commit, changes, message, onto)
	}
	return u.tree.Save(ctx, commit, changes, message, onto)
}

// Write writes changes into the work tree.
func (u *uiSaving) Write(ctx context.Context, changes ...clone.Change) error {
	return u.tree.Write(ctx, changes...)
}

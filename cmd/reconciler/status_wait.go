package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// pollWait is the time between two polls of the branch. A poll lists the refs.
const pollWait = time.Second

// waitFlags are the conditions of --wait.
type waitFlags struct {
	phases  []string
	commit  string
	timeout time.Duration
}

func (f *waitFlags) add(fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.phases, "wait", nil, "wait until all selected applications are in one of these `PHASES`")
	fl.StringVar(&f.commit, "commit", "", "wait until the branch reflects this `COMMIT` of the source branch")
	fl.DurationVar(&f.timeout, "timeout", 5*time.Minute, "how long to wait")
}

func (f *waitFlags) wanted() bool { return len(f.phases) > 0 || f.commit != "" }

func (f *waitFlags) check() error {
	for i, name := range f.phases {
		n := slices.IndexFunc(model.Phases, func(p model.Phase) bool { return strings.EqualFold(string(p), name) })
		if n < 0 {
			return fmt.Errorf("--wait %q is not a phase; there are %s", name, text.Enumerate(model.Phases, len(model.Phases)))
		}
		f.phases[i] = string(model.Phases[n])
	}
	if f.commit != "" && (len(f.commit) < 7 || strings.Trim(f.commit, "0123456789abcdef") != "") {
		return fmt.Errorf("--commit %q is not a commit; give its name in hexadecimal, for example \"$(git rev-parse HEAD)\"", f.commit)
	}
	return nil
}

// run polls the branch until the conditions hold. It returns the last ledger, also beside an exit code.
func (f *waitFlags) run(ctx context.Context, r *ledgerReader, l model.Ledger, s view.Selection, errOut io.Writer) (model.Ledger, error) {
	if r.stale != nil {
		return l, errors.New("cannot wait: " + r.stale.Error())
	}
	within, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	told := ""
	for l = range r.ledgers(within, l) {
		v := view.StatusOf(&l, s)
		missing, final := f.missing(&v)
		if missing == "" {
			return l, nil
		}
		if missing != told {
			fmt.Fprintln(errOut, "waiting:", text.Clean(missing))
			told = missing
		}
		if final {
			return l, &exitCode{exitDiffers, "refused: " + missing}
		}
	}
	if ctx.Err() != nil {
		return l, ctx.Err()
	}
	return l, &exitCode{exitDiffers, fmt.Sprintf("not so after %s: %s", f.timeout, told)}
}

// ledgers yields the given ledger, and then the one of the branch every pollWait, until ctx ends.
func (r *ledgerReader) ledgers(ctx context.Context, l model.Ledger) iter.Seq[model.Ledger] {
	return func(yield func(model.Ledger) bool) {
		tick := time.NewTicker(pollWait)
		defer tick.Stop()
		for yield(l) {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if next, err := r.branch.Load(ctx); err == nil {
				l = next
			} // else the host may answer the next time
		}
	}
}

// missing describes the conditions that do not hold yet, "" if all do. final reports whether only another commit can
// change that.
func (f *waitFlags) missing(v *view.Status) (why string, final bool) {
	if f.commit != "" && !strings.HasPrefix(v.Commit, f.commit) {
		return fmt.Sprintf("the branch reflects commit %s, not yet %s", shortCommit(v.Commit), shortCommit(f.commit)), false
	}
	if f.commit != "" && v.Left > 0 {
		return fmt.Sprintf("the branch does not have %d applications of the commit yet", v.Left), false
	}
	if len(f.phases) == 0 {
		return "", false
	}
	if len(v.Applications) == 0 {
		return "the branch knows none of the selected applications", f.commit != ""
	}
	var others []string
	for i := range v.Applications {
		a := &v.Applications[i]
		refused := f.commit != "" && (a.Refused != nil || a.Phase == model.PhaseRejected)
		if slices.Contains(f.phases, string(a.Phase)) && !(refused && a.Refused != nil) {
			continue
		}
		other := fmt.Sprintf("%s is %s", a.App, a.Phase)
		notTaken := refusedForGood(a)
		switch {
		case refused || !a.Phase.Active():
			other += " (" + whyOf(a) + ")"
		case notTaken != "":
			other += " (" + notTaken + ")"
		}
		others = append(others, text.Clean(other))
		final = final || refused || notTaken != "" && a.Phase == model.PhaseDegraded
	}
	return text.Enumerate(others, 5), final
}

// watch shows the status now and after each change of the branch, until it is interrupted or at the timeout. On a terminal
// it clears the screen first.
func watch(ctx context.Context, r *ledgerReader, l model.Ledger, timeout time.Duration, out io.Writer, show func(*model.Ledger) error) error {
	if r.stale != nil {
		return errors.New("cannot watch: " + r.stale.Error())
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	screen := newPrinter(out).width > 0
	first, shown := true, ""
	for l := range r.ledgers(ctx, l) {
		if !first && r.branch.Tip() == shown {
			continue
		}
		switch {
		case screen:
			fmt.Fprint(out, "\x1b[H\x1b[2J")
		case !first:
			fmt.Fprintln(out)
		}
		if err := show(&l); err != nil {
			return err
		}
		first, shown = false, r.branch.Tip()
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// watch shows what the branch says, and again whenever it says something else,
// until the user ends it or the time is over. On a terminal each view takes the
// place of the last.
func watch(ctx context.Context, r *ledgerReader, l model.Ledger, timeout time.Duration, out io.Writer, show func(*model.Ledger) error) error {
	if r.stale != nil {
		return errors.New("cannot watch: " + r.stale.Error())
	}
	var over <-chan time.Time // never, unless there is a timeout
	if timeout > 0 {
		deadline := time.NewTimer(timeout)
		defer deadline.Stop()
		over = deadline.C
	}
	tick := time.NewTicker(pollWait)
	defer tick.Stop()
	screen := newPrinter(out).width > 0
	for first := true; ; first = false {
		switch {
		case screen:
			fmt.Fprint(out, "\x1b[H\x1b[2J")
		case !first:
			fmt.Fprintln(out)
		}
		if err := show(&l); err != nil {
			return err
		}
		for said := r.branch.Tip(); r.branch.Tip() == said; {
			select {
			case <-ctx.Done():
				return nil
			case <-over:
				return nil
			case <-tick.C:
			}
			if next, err := r.branch.Load(ctx); err == nil {
				l = next
			} // else the host may come back in time
		}
	}
}

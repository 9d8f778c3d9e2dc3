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

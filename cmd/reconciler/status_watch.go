package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

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

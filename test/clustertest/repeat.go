package clustertest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// repeat has what plays a controller take a turn ten times a second until the test ends.
func repeat(t testing.TB, who string, turn func(context.Context) error) {
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := turn(ctx); err != nil && ctx.Err() == nil {
					t.Logf("%s tries again: %v", who, err)
				}
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		done.Wait()
	})
}

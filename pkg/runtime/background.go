package runtime

import (
	"context"
	"sync"
	"time"
)

// Background is what goes on beside the calls of an adapter, until Close.
type Background struct {
	Ctx  context.Context // ends with Close
	Busy sync.WaitGroup  // for what Close waits
	stop context.CancelFunc
}

// NewBackground returns one in which nothing goes on yet.
func NewBackground() *Background {
	b := &Background{}
	b.Ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// Close ends what goes on, and waits for it. It may be called again.
func (b *Background) Close() {
	b.stop()
	b.Busy.Wait()
}

// Pause returns when a time has passed or the context has ended.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// stopWithParent cancels once the process is no longer the child of parent.
func stopWithParent(ctx context.Context, parent int, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		if os.Getppid() != parent {
			cancel(fmt.Errorf("%w: the process that started this one is gone", errStop))
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// stopWhenUnused cancels once nobody has held a shared lock on the file for the given time.
//
// From then until the process ends the file is locked exclusively. So whoever wants to use the cluster either gets
// the shared lock, and the cluster stays, or does not, and it is going.
func stopWhenUnused(ctx context.Context, name string, limit time.Duration, cancel context.CancelCauseFunc) {
	// Not an os.File: one that nothing refers to any more is closed, and the lock gone with it.
	file, err := unix.Open(name, unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		cancel(fmt.Errorf("watch for users: %w", err))
		return
	}
	ticker := time.NewTicker(min(time.Second, limit/4+time.Millisecond))
	defer ticker.Stop()
	lastUsed := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if unix.Flock(file, unix.LOCK_EX|unix.LOCK_NB) != nil {
			lastUsed = time.Now()
			continue
		}
		if time.Since(lastUsed) >= limit {
			cancel(fmt.Errorf("%w: unused for %s", errStop, limit))
			return
		}
		if err := unix.Flock(file, unix.LOCK_UN); err != nil {
			cancel(fmt.Errorf("watch for users: %w", err))
			return
		}
	}
}

package clustertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a lock is tried that another process holds.
const lockPoll = 20 * time.Millisecond

// openLock opens a lock file, without locking it. Closing the file, or the end of the process, unlocks it.
func openLock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
}

// tryLock takes a lock (unix.LOCK_EX or unix.LOCK_SH) and reports whether it got it.
func tryLock(file *os.File, kind int) (bool, error) {
	err := unix.Flock(int(file.Fd()), kind|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// lock opens a lock file and waits until it has the lock.
func lock(ctx context.Context, name string, kind int) (*os.File, error) {
	file, err := openLock(name)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		got, err := tryLock(file, kind)
		if got {
			return file, nil
		}
		if err == nil {
			select {
			case <-ticker.C:
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
}

// isLocked reports whether another process holds the lock on a file.
func isLocked(name string) (bool, error) {
	file, err := openLock(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	got, err := tryLock(file, unix.LOCK_EX)
	return !got, err
}

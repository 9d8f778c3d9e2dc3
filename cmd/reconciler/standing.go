package main

import (
	"errors"
	"sync"
)

// standing is whether a process reconciles, or waits until the one that does gives up the Lease. The zero value waits and
// has not seen the Lease yet. It is safe for concurrent use.
type standing struct {
	mu     sync.Mutex
	leader bool
	seen   bool  // the Lease
	failed error // why the Lease cannot be had
}

func (s *standing) leads() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leader = true
}

// note keeps the outcome of a request for the Lease, and reports whether it is another one than before.
func (s *standing) note(failed error) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	news = (failed == nil) != (s.failed == nil) || failed != nil && failed.Error() != s.failed.Error()
	s.failed, s.seen = failed, s.seen || failed == nil
	return news
}

// trouble returns why the Lease cannot be had, nil if another process has it.
func (s *standing) trouble() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// ready returns what a probe is told: of the leader the word of its loop, of another process that it stands by.
func (s *standing) ready(loop func() error) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.leader:
		return "ok", loop()
	case s.failed != nil:
		return "", s.failed
	case !s.seen:
		return "", errors.New("the Lease has not been read yet")
	}
	return "standby", nil
}

package webhook

import (
	"crypto/sha256"
	"sync"
)

// remembered is how many messages are told apart from their repetitions. GitHub and Gitea sign no time, so who can read one
// message could send it for ever. An older one that is repeated, or one from before a restart, costs a poll.
const remembered = 4096

// seen has the codes of the last messages.
type seen struct {
	mu    sync.Mutex
	codes map[[sha256.Size]byte]bool
	order [][sha256.Size]byte // the oldest first
}

// add remembers a message and reports whether it is new.
func (s *seen) add(mac [sha256.Size]byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.codes[mac] {
		return false
	}
	if s.codes == nil {
		s.codes = map[[sha256.Size]byte]bool{}
	}
	s.codes[mac] = true
	if s.order = append(s.order, mac); len(s.order) > remembered {
		delete(s.codes, s.order[0])
		s.order = s.order[1:]
	}
	return true
}

package main

import (
	"io"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A supervisor keeps the components of one cluster running and stops them together.
// When it dies they die with it, however it dies.
type supervisor struct {
	dir     *directory
	restart bool
	out     io.Writer
	fail    func(error) // told, once for each component, that the cluster cannot go on

	stopping chan struct{} // closed by stop
	mu       sync.Mutex    // orders the start of a process against stop
	running  []*component  // in the order of their start
}

func newSupervisor(dir *directory, restart bool, out io.Writer, fail func(error)) *supervisor {
	return &supervisor{dir: dir, restart: restart, out: out, fail: fail, stopping: make(chan struct{})}
}

// start begins to tend a component and returns at once.
func (s *supervisor) start(name string, args []string) {
	c := &component{name: name, args: args, done: make(chan struct{})}
	s.running = append(s.running, c)
	go c.tend(s)
}

func (s *supervisor) isStopping() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

// stop ends all components: first those that use the API server, then the API server, then etcd.
// One that has not ended after its time is killed.
func (s *supervisor) stop() {
	s.mu.Lock()
	close(s.stopping)
	s.mu.Unlock()
	s.end(2*time.Second, func(name string) bool { return name != apiServer && name != etcd })
	s.end(time.Second, func(name string) bool { return name == apiServer }) // open watches would hold it longer
	s.end(3*time.Second, func(name string) bool { return name == etcd })
}

func (s *supervisor) end(within time.Duration, chosen func(name string) bool) {
	var ending []*component
	for _, c := range slices.Backward(s.running) {
		if chosen(c.name) {
			c.signal(s, syscall.SIGTERM)
			ending = append(ending, c)
		}
	}
	limit := time.After(within)
	for _, c := range ending {
		select {
		case <-c.done:
			continue
		case <-limit:
		}
		for _, late := range ending {
			late.signal(s, syscall.SIGKILL)
		}
		limit = nil // all are killed, their end is certain
		<-c.done
	}
}

//go:build linux

package process

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/durable"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// Config configures a Supervisor.
type Config struct {
	Host       Host
	CgroupRoot string
	StateDir   string   // that this agent alone uses
	Launcher   []string // this program, and the command of it that calls Launch

	// Tell is told what happens, for a log.
	Tell func(message string, pairs ...any)

	Steady  time.Duration // how long a process runs before it counts as running; default 1 s
	Backoff time.Duration // between an end and the next start, doubled each time; default 1 s
}

// Times of a supervisor.
const (
	mostBackoff = time.Minute
	lasting     = time.Minute            // a program that ran for so long begins with the least wait again
	look        = 250 * time.Millisecond // between two looks at the plan, and at processes of other parents
	again       = 10 * time.Millisecond  // while a group is being cleared
	beat        = 5 * time.Second        // between two signs of life
)

// Supervisor runs the processes of one host.
type Supervisor struct {
	cfg    Config
	tree   *cgroup.Tree
	nest   *cgroup.Nest
	number int64 // of the last group
	boot   string
	plan   followed
	slots  map[slot]*process
	graves []string // groups of nobody, which are being cleared
	exits  chan exited
	closed chan struct{}
	dirty  bool // the records differ from those on disk
	saved  bool // the records reached the disk the last time
	out    publication
	said   map[string]string // complaints, by what they are about

	mu        sync.Mutex
	workloads []qos.Workload
}

// process is a slot, and what is known of its process while the agent runs.
type process struct {
	record
	handle    int // pidfd, -1: none runs
	child     bool
	signalled bool               // it was asked to end by this agent
	wanted    *hostplan.Workload // nil: it is to go
	is, want  model.Digest       // identities of the program that runs or ran, and of that of wanted
	logs      *logs
}

func (p *process) alive() bool { return p.PID != 0 }

// exited is the end of a child.
type exited struct {
	slot slot
	pid  int
	how  hostplan.Exit
}

// Open finds the processes that an agent before this one has started, and starts nothing.
func Open(cfg Config) (*Supervisor, error) {
	cfg.Steady = cmp.Or(cfg.Steady, time.Second)
	cfg.Backoff = cmp.Or(cfg.Backoff, time.Second)
	if err := os.MkdirAll(cfg.Host.Logs, 0o750); err != nil {
		return nil, fmt.Errorf("open the directory of logs: %w", err)
	}
	if err := os.MkdirAll(cfg.StateDir, 0o700); err != nil {
		return nil, fmt.Errorf("open the state directory: %w", err)
	}
	kept, err := readRecords(cfg.StateDir)
	if err != nil {
		return nil, fmt.Errorf("read the records of processes: %w", err)
	}
	tree, err := cgroup.Open(cfg.CgroupRoot)
	if err != nil {
		return nil, err
	}
	nest, err := tree.Nest(cfg.Host.Cgroup)
	if err != nil {
		_ = tree.Close()
		return nil, err
	}
	s := &Supervisor{
		cfg: cfg, tree: tree, nest: nest, number: kept.Last, boot: kept.Boot, slots: map[slot]*process{},
		exits: make(chan exited), closed: make(chan struct{}), dirty: true, saved: true,
	}
	if lacks := nest.Lacks; len(lacks) > 0 {
		cfg.Tell("controllers do not reach the group of processes: what they bound is unbounded", "cgroup", cfg.Host.Cgroup, "lacking", lacks)
	}
	if err := s.find(kept.Slots); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// find adopts what runs, and has groups cleared that no record names.
func (s *Supervisor) find(kept []record) (err error) {
	known := map[string]bool{}
	for i := range kept {
		p := &process{record: kept[i], handle: -1, is: kept[i].Program.Identity()}
		known[p.Group] = true
		s.slots[p.slot] = p
		if !p.alive() {
			continue
		}
		if handle, ok := adopt(&p.record, s.nest.Path(p.Group)); ok {
			p.handle = handle
			if p.logs, err = openLogs(s.cfg.Host.Logs, p.slot, p.Program.Logs); err != nil {
				return err
			}
			s.cfg.Tell("process adopted", s.about(p)...)
			continue
		}
		s.exit(p, hostplan.Exit{Unknown: true})
	}
	groups, err := s.nest.Groups()
	if err != nil {
		return err
	}
	for _, g := range groups {
		if !known[g] {
			s.graves = append(s.graves, g)
		}
	}
	return nil
}

func (s *Supervisor) close() {
	close(s.closed)
	for _, p := range s.slots {
		p.release()
	}
	s.nest.Close()
	_ = s.tree.Close()
}

// Run follows the plan of the pool until ctx is done. What runs then keeps running.
func (s *Supervisor) Run(ctx context.Context) {
	defer s.close()
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-s.exits:
			s.reap(e)
		case <-tick.C:
		}
		tick.Reset(s.turn(time.Now()))
	}
}

// turn brings what runs nearer to the plan, and returns when the next turn is due.
func (s *Supervisor) turn(now time.Time) time.Duration {
	for drained := false; !drained; {
		select {
		case e := <-s.exits:
			s.reap(e)
		default:
			drained = true
		}
	}
	s.follow()
	next := look
	s.graves = slices.DeleteFunc(s.graves, func(group string) bool {
		gone := s.clear(group)
		if !gone {
			next = again
		}
		return gone
	})
	for _, at := range slices.SortedFunc(maps.Keys(s.slots), slot.compare) {
		p := s.slots[at]
		if p.alive() && !p.child && ended(p.handle) {
			how, _ := exitOf(p.handle, p.PID)
			s.exit(p, how)
		}
		if !s.plan.known {
			continue // nothing is stopped because nobody says what is wanted
		}
		if due := s.step(p, now); due > 0 {
			next = min(next, due)
		}
		if p.wanted == nil && !p.alive() && p.Group == "" {
			p.release()
			delete(s.slots, at)
			s.dirty = true
		}
	}
	s.save()
	s.offer()
	s.publish(now)
	return next
}

// save keeps the records, and reports whether they are on disk.
func (s *Supervisor) save() bool {
	if !s.dirty {
		return true
	}
	r := records{Boot: s.boot, Last: s.number}
	for _, at := range slices.SortedFunc(maps.Keys(s.slots), slot.compare) {
		r.Slots = append(r.Slots, s.slots[at].record)
	}
	reached()
	data, err := json.Marshal(r)
	if err == nil {
		err = durable.Write(s.cfg.StateDir, recordsFile, data, 0o600)
	}
	if err != nil && s.saved {
		s.cfg.Tell("the records of processes cannot be kept: nothing is started", "file", filepath.Join(s.cfg.StateDir, recordsFile), "error", err)
	}
	reached()
	s.saved = err == nil
	s.dirty = err != nil
	return err == nil
}

// offer shows what runs to whoever gives the groups their weight.
func (s *Supervisor) offer() {
	all := make([]qos.Workload, 0, len(s.slots))
	for _, at := range slices.SortedFunc(maps.Keys(s.slots), slot.compare) {
		p := s.slots[at]
		if !p.alive() || p.wanted == nil {
			continue
		}
		profile, known := s.plan.profiles[p.wanted.QoS]
		if !known {
			profile = s.plan.profiles[model.Burstable]
		}
		w := qos.Workload{
			Name: fmt.Sprintf("%s %d", p.Key, p.Replica), Cgroup: s.nest.Path(p.Group), Priority: p.wanted.Priority, Profile: profile,
			Request: p.wanted.Requests, Limit: p.Program.Limits,
		}
		if qos.Reserves(w.Profile) {
			w.Reserved = w.Request
		}
		all = append(all, w)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workloads = all
}

// Workloads returns the processes that run, as workloads with groups of their own.
func (s *Supervisor) Workloads() []qos.Workload {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workloads
}

// reached is called between any two steps that a crash may part. Tests crash there.
var reached = func() {}

// complain tells an error about something once, until it is another one or over.
func (s *Supervisor) complain(about, message string, err error, pairs ...any) {
	switch {
	case err == nil:
		delete(s.said, about)
	case s.said[about] != err.Error():
		s.said[about] = err.Error()
		s.cfg.Tell(message, append(pairs, "error", err)...)
	}
}

// about names a process in a log.
func (s *Supervisor) about(p *process, more ...any) []any {
	return append([]any{"workload", p.Key.String(), "replica", p.Replica, "pid", p.PID}, more...)
}

// bounds are those of the group of a replica.
func bounds(w *hostplan.Workload) cgroup.Bounds {
	tasks := cmp.Or(w.Program.Tasks, hostplan.DefaultTasks)
	return cgroup.Bounds{CPU: w.Requests.CPU, MostCPU: w.Program.Limits.CPU, MostMemory: w.Program.Limits.Memory, MostTasks: int64(tasks)}
}

//go:build linux

package nri

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"

	"github.com/d-aros/d-aros/pkg/qos"
)

const (
	within      = 500 * time.Millisecond // an answer; runtimes wait two seconds
	registering = 15 * time.Second       // until the runtime has accepted the agent
	leastWait   = 100 * time.Millisecond // between two connections
	mostWait    = 15 * time.Second
)

// Answer says what came of a question about a container.
type Answer string

// The answers. Only the first has values.
const (
	Given     Answer = "given"
	None      Answer = "none"      // the plan promises it nothing, or nothing that a runtime can write
	Unplanned Answer = "unplanned" // there is no plan
	Misplaced Answer = "misplaced" // its group is not where the kubelet has those of its pod
	Late      Answer = "late"      // the host is too busy to decide in time
)

// Plugin answers what a container runtime asks.
type Plugin struct {
	Socket  string
	Unified bool              // all of the host is cgroup v2
	Known   func() *qos.Known // from which answers follow, nil while there is no plan; it stays as it is
	Log     *slog.Logger

	Answered  func(Answer)
	Connected func(bool)
}

// Run answers until ctx is done. It waits for a runtime that is not there, and connects again to one that has been restarted.
func (p Plugin) Run(ctx context.Context) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = leastWait, mostWait
	said := ""
	for {
		p.Connected(false)
		began := time.Now()
		err := p.serve(ctx)
		if ctx.Err() != nil {
			p.Connected(false)
			return
		}
		if time.Since(began) > mostWait {
			waits.Reset()
		}
		if err.Error() != said {
			said = err.Error()
			p.Log.Warn("no connection to the container runtime: containers get their values after their start", "socket", p.Socket, "reason", said)
		}
		select {
		case <-ctx.Done():
		case <-time.After(waits.NextBackOff()):
		}
	}
}

// serve answers through one connection until it ends, and returns why.
func (p Plugin) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := (&net.Dialer{Timeout: registering}).DialContext(ctx, "unix", p.Socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	s := &session{Plugin: p, accepted: make(chan struct{}), said: map[Answer]bool{}}
	link, err := stub.New(s, stub.WithPluginName("d-aros"), stub.WithPluginIdx("90"), stub.WithConnection(conn), stub.WithLogger(logger{p.Log}))
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- link.Run(ctx) }()
	select {
	case <-s.accepted:
	case err := <-ended:
		return fmt.Errorf("register: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(registering):
		return errors.New("register: no answer")
	}
	p.Connected(true)
	p.Log.Info("the container runtime asks what containers are to start with", "socket", p.Socket)
	return fmt.Errorf("the connection ended: %w", <-ended)
}

// session is one connection. The runtime calls its methods.
type session struct {
	Plugin
	once     sync.Once
	accepted chan struct{}
	mu       sync.Mutex
	said     map[Answer]bool
}

// Synchronize is called when the runtime has accepted the agent. The agent's turn looks after the containers that run.
func (s *session) Synchronize(context.Context, []*api.PodSandbox, []*api.Container) ([]*api.ContainerUpdate, error) {
	s.once.Do(func() { close(s.accepted) })
	return nil, nil
}

// CreateContainer answers what a container is to be made with.
func (s *session) CreateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	adjust, answer := s.decide(pod, container)
	s.tell(answer, pod, container)
	return adjust, nil, nil
}

func (s *session) decide(pod *api.PodSandbox, container *api.Container) (*api.ContainerAdjustment, Answer) {
	known := s.Known()
	if known == nil {
		return nil, Unplanned
	}
	group, ok := known.Kubelet.GroupOf(pod.GetUid(), container.GetLinux().GetCgroupsPath())
	if !ok {
		return nil, Misplaced
	}
	decided := make(chan *api.ContainerAdjustment, 1)
	go func() {
		c := qos.Member{Namespace: pod.GetNamespace(), Pod: pod.GetName(), UID: pod.GetUid(), Name: container.GetName(), Cgroup: group}
		decided <- adjustment(known.Newcomer(c), container.GetLinux().GetResources(), s.Unified)
	}()
	select {
	case adjust := <-decided:
		if adjust == nil {
			return nil, None
		}
		return adjust, Given
	case <-time.After(within):
		return nil, Late
	}
}

// tell counts an answer. It logs the first without values of each kind that somebody could do something about.
func (s *session) tell(answer Answer, pod *api.PodSandbox, container *api.Container) {
	s.Answered(answer)
	s.mu.Lock()
	first := !s.said[answer]
	s.said[answer] = true
	s.mu.Unlock()
	if first && answer != Given && answer != None {
		s.Log.Warn("a container starts without its values", "why", string(answer), "namespace", pod.GetNamespace(), "pod", pod.GetName(), "container", container.GetName())
	}
}

// logger passes on what the library of NRI says. What it does is not worth more than debugging.
type logger struct{ log *slog.Logger }

func (l logger) Debugf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "nri: "+fmt.Sprintf(format, args...))
}
func (l logger) Infof(ctx context.Context, format string, args ...any) {
	l.Debugf(ctx, format, args...)
}
func (l logger) Warnf(ctx context.Context, format string, args ...any) {
	l.Debugf(ctx, format, args...)
}
func (l logger) Errorf(ctx context.Context, format string, args ...any) {
	l.Debugf(ctx, format, args...)
}

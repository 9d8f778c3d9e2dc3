//go:build linux

package nri

import (
	"context"
	"errors"
	"fmt"
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

	Connected func(err error)          // with nil when the runtime begins to ask, and with the reason each time that it does not
	Answered  func(Answer, qos.Member) // several at once
}

// Run answers until ctx is done. It waits for a runtime that is not there, and connects again to one that has been restarted.
func (p Plugin) Run(ctx context.Context) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = leastWait, mostWait
	for {
		began := time.Now()
		err := p.serve(ctx)
		if ctx.Err() != nil {
			return
		}
		p.Connected(err)
		if time.Since(began) > mostWait {
			waits.Reset()
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
	s := &session{Plugin: p, accepted: make(chan struct{})}
	link, err := stub.New(s, stub.WithPluginName("d-aros"), stub.WithPluginIdx("90"), stub.WithConnection(conn), stub.WithLogger(silent{}))
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
	p.Connected(nil)
	return fmt.Errorf("the connection ended: %w", <-ended)
}

// session is one connection. The runtime calls its methods.
type session struct {
	Plugin
	once     sync.Once
	accepted chan struct{}
}

// Synchronize is called when the runtime has accepted the agent. The agent's turn looks after the containers that run.
func (s *session) Synchronize(context.Context, []*api.PodSandbox, []*api.Container) ([]*api.ContainerUpdate, error) {
	s.once.Do(func() { close(s.accepted) })
	return nil, nil
}

// CreateContainer answers what a container is to be made with.
func (s *session) CreateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	c := qos.Member{Namespace: pod.GetNamespace(), Pod: pod.GetName(), UID: pod.GetUid(), Name: container.GetName()}
	adjust, answer := s.decide(c, container.GetLinux())
	s.Answered(answer, c)
	return adjust, nil, nil
}

func (s *session) decide(c qos.Member, made *api.LinuxContainer) (*api.ContainerAdjustment, Answer) {
	known := s.Known()
	if known == nil {
		return nil, Unplanned
	}
	var ok bool
	if c.Cgroup, ok = known.Kubelet.GroupOf(c.UID, made.GetCgroupsPath()); !ok {
		return nil, Misplaced
	}
	decided := make(chan *api.ContainerAdjustment, 1)
	go func() { decided <- adjustment(known.Newcomer(c), made.GetResources(), s.Unified) }()
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

// silent drops what the library of NRI says: what matters of it is an error that it returns as well.
type silent struct{}

func (silent) Debugf(context.Context, string, ...any) {}
func (silent) Infof(context.Context, string, ...any)  {}
func (silent) Warnf(context.Context, string, ...any)  {}
func (silent) Errorf(context.Context, string, ...any) {}

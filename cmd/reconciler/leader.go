package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// election is how a process gets the Lease of a fleet.
type election struct {
	namespace, fleet string
	log              *slog.Logger
	standing         standing
}

// lead runs work while this process holds the Lease of the fleet. When it loses the Lease, it ends with an error, because
// another process may lead now. The status branch is safe in any case: its push is a compare-and-swap.
func (e *election) lead(ctx context.Context, cluster *rest.Config, work func(context.Context) error) error {
	client, err := kubernetes.NewForConfig(cluster)
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	host, _ := os.Hostname() // part of a name for people; the rest makes it unique
	lease := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: e.namespace, Name: "daros-" + e.fleet},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := make(chan error, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          notedLock{lease, e.note},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				e.log.Info("became the leader")
				e.standing.leads()
				result <- work(klog.NewContext(ctx, klog.Background()))
				cancel()
			},
			OnStoppedLeading: func() {},
			OnNewLeader:      func(id string) { e.log.Info("new leader", "identity", id) },
		},
	})
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	stopped := ctx.Done()
	elector.Run(klog.NewContext(ctx, klog.Logger{})) // it would tell each failure every two seconds; note tells it once
	select {
	case err := <-result:
		return err
	case <-stopped:
		return nil
	default:
		return errors.Join(errors.New("lost the Lease"), e.standing.trouble())
	}
}

// note keeps the outcome of a request for the Lease, and logs it once if it is another failure.
func (e *election) note(verb string, err error) {
	var what error
	if err != nil {
		what = fmt.Errorf("cannot %s Lease %s/daros-%s: %w%s", verb, e.namespace, e.fleet, err, e.remedy(err))
	}
	if e.standing.note(what) && what != nil {
		e.log.Error("no Lease, so nothing is reconciled", "error", what)
	}
}

// remedy says what people can do about a failure.
func (e *election) remedy(err error) string {
	switch {
	case apierrors.IsForbidden(err):
		return "; allow the reconciler to get, create and update Leases in that namespace (deploy/reconciler/rights.yaml)"
	case apierrors.IsNotFound(err):
		return "; create the namespace, or name another one with --lease-namespace"
	}
	return ""
}

// notedLock tells what came of each request for the Lease. That there is none yet, or that another process was faster, is
// no failure.
type notedLock struct {
	*resourcelock.LeaseLock
	note func(verb string, err error)
}

func (l notedLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.LeaseLock.Get(ctx)
	if !apierrors.IsNotFound(err) { // Create has its outcome
		l.note("read", err)
	}
	return record, raw, err
}

func (l notedLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	err := l.LeaseLock.Create(ctx, record)
	if !apierrors.IsAlreadyExists(err) {
		l.note("make", err)
	}
	return err
}

func (l notedLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	err := l.LeaseLock.Update(ctx, record)
	if !apierrors.IsConflict(err) {
		l.note("update", err)
	}
	return err
}

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

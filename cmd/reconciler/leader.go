package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lead runs work while this process holds the Lease of the fleet. When it loses the Lease, it ends with an error, because
// another process may lead now. The status branch is safe in any case: its push is a compare-and-swap.
func lead(ctx context.Context, cluster *rest.Config, namespace, fleet string, log *slog.Logger, work func(context.Context) error) error {
	client, err := kubernetes.NewForConfig(cluster)
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	host, _ := os.Hostname() // part of a name for people; the rest makes it unique
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := make(chan error, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "daros-" + fleet},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
		},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				log.Info("became the leader")
				result <- work(ctx)
				cancel()
			},
			OnStoppedLeading: func() {},
			OnNewLeader:      func(id string) { log.Info("new leader", "identity", id) },
		},
	})
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	stopped := ctx.Done()
	elector.Run(ctx)
	select {
	case err := <-result:
		return err
	case <-stopped:
		return nil
	default:
		return errors.New("lost the Lease")
	}
}

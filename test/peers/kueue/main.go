// Command kueue decides a world with the scheduler of Kueue, in this process: its queues, its cache and its scheduler
// through what they export, and an API server that costs nothing. What is evicted is gone at once and asks no more, and
// what did not fit before is tried again once a cycle: of all that a cluster might do, this costs Kueue least. It reads the
// world as JSON and prints figures as JSON when nothing happens any more. The bench of arbitration starts it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	config "sigs.k8s.io/kueue/apis/config/v1beta1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler"
)

// figures are what deciding cost, setting up the world not included.
type figures struct {
	CPU                       float64 // seconds of processor time
	Cycles, Admitted, Evicted int64
}

// rest is how long nothing happens before the world is taken to be at rest. No cycle looks at no workload for so long.
const rest = 2 * time.Second

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "kueue:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	runtime.GOMAXPROCS(1) // as the bench does
	var w world
	if err := json.NewDecoder(os.Stdin).Decode(&w); err != nil {
		return fmt.Errorf("read the world: %w", err)
	}
	ctx, cancel := context.WithCancel(ctrl.LoggerInto(ctx, logr.Discard()))
	defer cancel()

	api := &apiServer{workloads: map[string]*kueue.Workload{}, retry: make(chan struct{}, 1)}
	cache := schdcache.New(api, schdcache.WithFairSharing(w.Fair))
	queues := qcache.NewManager(api, api)
	if err := w.declare(ctx, api, cache, queues); err != nil {
		return err
	}

	api.stop = func(evicted *kueue.Workload) { _ = cache.DeleteWorkload(logr.Discard(), evicted) }
	go func() {
		for range api.retry {
			queues.QueueInadmissibleWorkloads(ctx, sets.New(queues.GetClusterQueueNames()...))
		}
	}()

	runtime.GC()
	began := cpu()
	s := scheduler.New(queues, cache, api, &record.FakeRecorder{}, scheduler.WithFairSharing(&config.FairSharing{Enable: w.Fair}))
	if err := s.Start(ctx); err != nil {
		return err
	}
	api.settle()
	used := cpu() - began
	return json.NewEncoder(os.Stdout).Encode(figures{
		CPU: used.Seconds(), Cycles: api.cycles.Load(), Admitted: api.admitted.Load(), Evicted: api.evicted.Load(),
	})
}

// declare puts a world into the cache and the queues.
func (w world) declare(ctx context.Context, api *apiServer, cache *schdcache.Cache, queues *qcache.Manager) error {
	cache.AddOrUpdateResourceFlavor(logr.Discard(), &kueue.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: flavor}})
	for _, q := range w.Queues {
		whole, local := q.objects()
		if err := cache.AddClusterQueue(ctx, whole); err != nil {
			return err
		}
		if err := queues.AddClusterQueue(ctx, whole); err != nil {
			return err
		}
		if err := cache.AddLocalQueue(local); err != nil {
			return err
		}
		if err := queues.AddLocalQueue(ctx, local); err != nil {
			return err
		}
	}
	for n, d := range w.Workloads {
		one := d.object(n)
		api.workloads[one.Name] = one
		if d.Running {
			cache.AddOrUpdateWorkload(logr.Discard(), one)
			continue
		}
		if err := queues.AddOrUpdateWorkload(one); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until the scheduler waits for work, and nothing happens.
func (a *apiServer) settle() {
	seen, since := int64(-1), time.Now()
	for range time.Tick(50 * time.Millisecond) {
		if calls := a.calls.Load(); calls != seen || a.deciding.Load() {
			seen, since = calls, time.Now()
		}
		if time.Since(since) > rest {
			return
		}
	}
}

// cpu is the processor time of this process.
func cpu() time.Duration {
	var used unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

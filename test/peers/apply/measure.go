package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/d-aros/d-aros/pkg/render"
)

// result is what one way did in one round.
type result struct {
	Phases []phase
	Memory int64 // bytes: the most that its process had
}

// phase is one of phases.
type phase struct {
	Took, Client, Server time.Duration  // by the clock; processor time
	Requests             map[string]int // by verb
}

// measure lets a way do all phases in this process.
func measure(ctx context.Context, w way, kubeconfig string, server int, load workload) (result, error) {
	var r result
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return r, err
	}
	cfg.QPS = -1 // the API server says when it is too much
	count := &counter{verbs: map[string]int{}}
	cfg.Wrap(count.wrap)
	apply, end, err := w.start(cfg, kubeconfig, load.namespace, count)
	if err != nil {
		return r, err
	}
	defer end()
	if err := apply(ctx, []render.Set{load.scope()}); err != nil {
		return r, fmt.Errorf("apply the namespace: %w", err)
	}
	for i, name := range phases {
		sets := load.sets(i)
		count.reset()
		before, err := processorTimeOf(server)
		if err != nil {
			return r, err
		}
		began, own := time.Now(), ownProcessorTime()
		if err := apply(ctx, sets); err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
		p := phase{Took: time.Since(began), Client: ownProcessorTime() - own, Requests: count.reset()}
		after, err := processorTimeOf(server)
		if err != nil {
			return r, err
		}
		p.Server = after - before
		r.Phases = append(r.Phases, p)
	}
	r.Memory = mostMemory()
	return r, nil
}

func ownProcessorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // it cannot fail for this process
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// mostMemory is the most resident memory that this process had. That of getrusage is inherited from the process that started it.
func mostMemory() int64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return kib << 10
}

// counter counts requests by verb.
type counter struct {
	mu    sync.Mutex
	verbs map[string]int
}

func (c *counter) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		verb := r.Method
		switch q := r.URL.Query(); {
		case q.Get("watch") != "":
			verb = "WATCH"
		case q.Get("dryRun") != "":
			verb += " (dry run)"
		}
		c.mu.Lock()
		c.verbs[verb]++
		c.mu.Unlock()
		return next.RoundTrip(r)
	})
}

func (c *counter) reset() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.verbs
	c.verbs = map[string]int{}
	return was
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// applyFunc applies sets: all that is wanted.
type applyFunc func(context.Context, []render.Set) error

// way is one way to apply objects.
type way struct {
	name  string
	start func(cfg *rest.Config, kubeconfig, fleet string, count *counter) (apply applyFunc, end func(), err error)
}

var ways = []way{{"bare loop", bare}, {"D-AROS", ours}, {"cli-utils", cliUtils}, {"ssa of Flux", fluxSSA}}

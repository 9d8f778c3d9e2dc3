package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
)

// othersEach is how many applications run before all others start, for each thing that
// can happen to one, and eventEvery how often something happens.
const (
	othersEach = 60
	eventEvery = 3 * time.Second
)

// first starts all applications of a fleet for the first time, in real time, while
// people approve and remove others that run already, and while these fail. It measures
// for how long each waits until the runtime is told.
func (b *bench) first(perObject time.Duration, heapProfile string) error {
	e, p := newElsewhere(b.fleet, perObject), &passes{}
	changed, all, once := make(chan struct{}, 1), make(chan struct{}), sync.Once{}
	b.loop = reconcile.New(reconcile.Options{
		Edges: reconcile.Edges{
			Source: e, Evaluator: evaluator{b.fleet}, Status: b.branch, Runtime: e, Commands: e, Wakes: reconcile.Wakes{SourceChanged: changed}, Slice: reconcile.Slice, Newcomers: reconcile.Newcomers,
		},
		Metrics: reconcile.NewMetrics(prometheus.NewRegistry(), false), Fleet: "bench", Interval: 15 * time.Second,
		Recognition: reconcile.Recognition{Copy: b.branch, Branch: "status", Signed: true},
		Done: func(r reconcile.Report, err error) {
			if p.note(&r, err); e.started() && r.Left == 0 && r.Phases[model.PhaseRunning] >= e.starting {
				once.Do(func() { close(all) })
			}
		},
	})
	if err := e.settle(b); err != nil {
		return err
	}
	*p = passes{}
	began, cpu, dead := time.Now(), cpuTime(), 0
	e.edit(e.startAll)
	ctx, stop := context.WithCancel(b.ctx)
	var loop sync.WaitGroup
	loop.Go(func() { _ = b.loop.Run(ctx) })
	tick := time.NewTicker(eventEvery)
	defer tick.Stop()
	for going := true; going; {
		select {
		case <-all:
			going = false
		case <-ctx.Done():
			going = false
		case <-tick.C:
			e.next()
			select {
			case changed <- struct{}{}:
			default:
			}
			if b.loop.Alive() != nil {
				dead++
			}
		}
	}
	took, used := time.Since(began), cpuTime()-cpu
	for end := time.Now().Add(time.Minute); ctx.Err() == nil && e.left() > 0 && time.Now().Before(end); {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	stop()
	loop.Wait()
	b.row("first start of all: wall; CPU, git included")("%.0f s; %.0f s", took.Seconds(), used.Seconds())
	b.row("… passes; the longest; the longest stage")("%d; %.1f s; %.1f s (%s)", p.n, p.longest.Seconds(), p.stage.Seconds(), p.slowest)
	b.row("… probes at which the loop was not alive")("%d", dead)
	if err := b.memory(heapProfile); err != nil {
		return err
	}
	for _, kind := range kinds {
		if heard := slices.Sorted(slices.Values(e.heard[kind])); len(heard) > 0 {
			n := len(heard)
			b.row("%s elsewhere until the runtime is told: half, nine of ten, all of %d", kind, n)(
				"%.1f s, %.1f s, %.1f s", heard[n/2].Seconds(), heard[n*9/10].Seconds(), heard[n-1].Seconds())
		}
	}
	if n := e.left(); n > 0 {
		b.row("… not told within a minute")("%d", n)
	}
	return nil
}

// passes are those of the loop.
type passes struct {
	n              int
	longest, stage time.Duration
	slowest        string // name of the stage
}

// note takes a pass that has ended.
func (p *passes) note(r *reconcile.Report, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "pass:", err)
	}
	p.n++
	p.longest = max(p.longest, r.Ended.Sub(r.Started))
	for i, s := range r.Stages {
		end := r.Ended
		if i+1 < len(r.Stages) {
			end = r.Stages[i+1].Began
		}
		if took := end.Sub(s.Began); took > p.stage {
			p.stage, p.slowest = took, s.Stage
		}
	}
}

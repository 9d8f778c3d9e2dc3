//go:build linux

package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"time"
)

// What is measured runs on one processor, and what measures on the other one.
const (
	processor         = 0
	processorOfOthers = 1
)

const (
	neighbours = 4
	busy       = 0.6 // part of what the service can do alone that it is asked for
)

// service is a service that is asked at a rate, whether it keeps up or not.
type service struct {
	requests io.Writer
	answers  chan uint64
}

// processors asks a service for three fifths of what it can do, beside four programs that take what they get.
func processors(ctx context.Context, r *rig, phase time.Duration) ([]figure, error) {
	s, group, err := startService(ctx, r)
	if err != nil {
		return nil, err
	}
	rate := busy * s.capacity(phase/10)
	alone := s.ask(ctx, rate, phase)
	groups, workloads := []string{}, fmt.Sprintf("- {name: service, cgroup: %s, profile: guaranteed-pro, cpu: {request: %dm}}\n", group, runtime.NumCPU()*750)
	for i := range neighbours {
		neighbour, err := r.group(fmt.Sprintf("neighbour%d", i))
		if err == nil {
			err = r.start(r.command(ctx, processor, neighbour, "spin", ""))
		}
		if err != nil {
			return nil, err
		}
		groups = append(groups, neighbour)
		workloads += fmt.Sprintf("- {name: neighbour%d, cgroup: %s, profile: best-effort}\n", i, neighbour)
	}
	figures := []figure{
		{Name: "service: p99", Unit: "×", Alone: fmt.Sprintf("%.1f ms", alone.p99.Seconds()*1000), Most: 1.5},
		{Name: "service: answered in time", Alone: fmt.Sprintf("%.0f of %.0f/s", alone.answered*rate, rate), Least: 0.95},
		{Name: "best effort: processors", Alone: "none of it"},
	}
	for i := range figures {
		figures[i].Ratios = map[string]float64{}
	}
	var agent *exec.Cmd
	for _, name := range phases {
		if agent, err = r.enter(ctx, name, agent, "", workloads); err != nil {
			return nil, err
		}
		before, began := r.used(groups...), time.Now()
		is := s.ask(ctx, rate, phase)
		took := (r.used(groups...) - before).Seconds() / time.Since(began).Seconds()
		for i, ratio := range []float64{is.p99.Seconds() / alone.p99.Seconds(), is.answered / alone.answered, took} {
			figures[i].Ratios[name] = ratio
		}
	}
	return figures, ctx.Err()
}

func startService(ctx context.Context, r *rig) (*service, string, error) {
	group, err := r.group("service")
	if err != nil {
		return nil, "", err
	}
	cmd := r.command(ctx, processor, group, "serve", "")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	s := &service{requests: in, answers: make(chan uint64, 1<<16)}
	if err := r.start(cmd); err != nil {
		return nil, "", err
	}
	go func() {
		defer close(s.answers)
		for {
			var n uint64
			if binary.Read(out, binary.LittleEndian, &n) != nil {
				return
			}
			s.answers <- n
		}
	}()
	if _, up := <-s.answers; !up {
		return nil, "", fmt.Errorf("the service has not started")
	}
	return s, group, nil
}

// capacity is how many requests it answers in a second, one after the other.
func (s *service) capacity(during time.Duration) float64 {
	began, n := time.Now(), 0
	for time.Since(began) < during || n < 10 {
		if binary.Write(s.requests, binary.LittleEndian, uint64(n)) != nil {
			break
		}
		<-s.answers
		n++
	}
	return float64(n) / time.Since(began).Seconds()
}

// asked is what came of asking.
type asked struct {
	p99      time.Duration
	answered float64 // part of the requests that were answered before the phase was over
}

// ask asks at a rate, at the same random moments each time, and counts from the moment at which it wanted to ask. What
// is not answered at the end of the phase has taken until then; it is waited for, so that the next phase begins with nothing.
func (s *service) ask(ctx context.Context, rate float64, during time.Duration) asked {
	random := rand.New(rand.NewPCG(1, 2))
	var due []time.Duration
	for at := 0.0; at < during.Seconds(); at += random.ExpFloat64() / rate {
		due = append(due, time.Duration(at*float64(time.Second)))
	}
	began := time.Now()
	go func() {
		for i, at := range due {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Until(began.Add(at))):
			}
			if binary.Write(s.requests, binary.LittleEndian, uint64(i)) != nil {
				return
			}
		}
	}()
	took, inTime := make([]time.Duration, 0, len(due)), 0
	for range due {
		i, up := <-s.answers
		if !up {
			break
		}
		now := time.Since(began)
		if now <= during {
			inTime++
		}
		took = append(took, min(now, during)-min(due[i], during))
	}
	return asked{percentile(took, 99), float64(inTime) / float64(len(due))}
}

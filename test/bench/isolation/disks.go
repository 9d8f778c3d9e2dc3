//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	fileSize = 64 << 20
	ceiling  = 10 << 20 // bytes in a second that best effort may write
)

// disks reads a hundred times a second, beside four programs that write as fast as they may.
func disks(ctx context.Context, r *rig, phase time.Duration) ([]figure, error) {
	reads, writes := filepath.Join(r.dir, "reads"), filepath.Join(r.dir, "writes")
	for _, name := range []string{reads, writes} {
		if err := fill(name, fileSize); err != nil {
			return nil, err
		}
	}
	reader, err := r.group("reader")
	if err != nil {
		return nil, err
	}
	cmd := r.command(ctx, processor, reader, "read", reads)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.start(cmd); err != nil {
		return nil, err
	}
	took := make(chan time.Duration, 1<<16)
	go func() {
		defer close(took)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			n, _ := strconv.ParseInt(lines.Text(), 10, 64)
			took <- time.Duration(n)
		}
	}()
	alone, err := during(took, phase)
	if err != nil {
		return nil, err
	}
	writer, err := r.group("writer")
	if err != nil {
		return nil, err
	}
	for range neighbours {
		if err := r.start(r.command(ctx, processorOfOthers, writer, "write", writes)); err != nil {
			return nil, err
		}
	}
	f := figure{Name: "reads: p99", Unit: "×", Alone: fmt.Sprintf("%.2f ms", alone.Seconds()*1000), Ratios: map[string]float64{}, Most: 2}
	profiles := fmt.Sprintf("{name: slow, cpu: {weight: 1}, io: {write: %d}}", ceiling)
	workloads := fmt.Sprintf("- {name: reader, cgroup: %s, profile: guaranteed}\n- {name: writer, cgroup: %s, profile: slow}\n", reader, writer)
	var agent *exec.Cmd
	for _, name := range phases {
		if agent, err = r.enter(ctx, name, agent, profiles, workloads); err != nil {
			return nil, err
		}
		is, err := during(took, phase)
		if err != nil {
			return nil, err
		}
		f.Ratios[name] = is.Seconds() / alone.Seconds()
	}
	return []figure{f}, ctx.Err()
}

// fill makes a file that is on the disk, and not in memory.
func fill(name string, size int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, size)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// during returns the p99 of the reads of a phase.
func during(took <-chan time.Duration, phase time.Duration) (time.Duration, error) {
	for len(took) > 0 { // of the phase before
		<-took
	}
	var all []time.Duration
	end := time.After(phase)
	for {
		select {
		case d, up := <-took:
			if !up {
				return 0, fmt.Errorf("the reader has ended")
			}
			all = append(all, d)
		case <-end:
			return percentile(all, 99), nil
		}
	}
}

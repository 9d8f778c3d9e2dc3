package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a Kubernetes control plane on this machine.
type server struct {
	cmd        *exec.Cmd
	dir        string
	kubeconfig string
}

func startServer(ctx context.Context, binary string, controllers bool) (*server, error) {
	dir, err := os.MkdirTemp("", "bench-apply-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, kubeconfig: filepath.Join(dir, "kubeconfig.yaml")}
	s.cmd = exec.Command(binary, "up", "--dir", dir, "--die-with-parent", "--scheduler=false", "--kwok=false", "--nodes", "0",
		"--controllers="+strconv.FormatBool(controllers))
	var said bytes.Buffer
	s.cmd.Stdout, s.cmd.Stderr = &said, &said
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(2 * time.Minute); ; {
		if _, err := os.Stat(s.kubeconfig); err == nil {
			return s, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.stop()
			return nil, ctx.Err()
		case <-limit:
			s.stop()
			return nil, errors.New("the API server is not ready after 2 min:\n" + said.String())
		}
	}
}

func (s *server) pid() int { return s.cmd.Process.Pid }

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// ticks is how many of these the kernel counts in a second of processor time. It is the same on all of Linux.
const ticks = 100

// processorTimeOf is what a process and its children have used so far.
func processorTimeOf(pid int) (time.Duration, error) {
	used := int64(0)
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	parents, times := map[int]int{}, map[int]int64{}
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it ended
		}
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')'):]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			return 0, fmt.Errorf("%s has %d fields", file, len(fields))
		}
		parents[id], _ = strconv.Atoi(fields[1])
		user, _ := strconv.ParseInt(fields[11], 10, 64)
		system, _ := strconv.ParseInt(fields[12], 10, 64)
		times[id] = user + system
	}
	for id := range times {
		for at := id; at > 1; at = parents[at] {
			if at == pid {
				used += times[id]
				break
			}
		}
	}
	return time.Duration(used) * time.Second / ticks, nil
}

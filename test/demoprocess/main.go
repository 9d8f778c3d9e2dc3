//go:build linux

// Command demoprocess plays with a fleet of plain processes on this machine: the real reconciler,
// the agents of two hosts, and no Kubernetes. It needs root, for cgroups.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo-process:", err)
		os.Exit(1)
	}
}

// run plays the story in a directory that is gone afterwards.
func run(ctx context.Context, out io.Writer) error {
	if os.Geteuid() != 0 {
		return errors.New("the agents of hosts need root, for cgroups")
	}
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("find the checkout: %w", err)
	}
	dir, err := os.MkdirTemp("", "d-aros-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return play(ctx, filepath.Dir(strings.TrimSpace(string(mod))), dir, "d-aros-demo/hosts", out)
}

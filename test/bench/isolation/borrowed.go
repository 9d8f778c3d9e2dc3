//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// onV2 are the parts that v2 has, with the controllers that a host of v1 can lend to it.
var onV2 = []part{{"processors", processors}, {"share", share}, {"disks", disks}, {"reaction", reaction}}

// borrowed measures them in another process, while cpu and io are in v2.
func borrowed(ctx context.Context, r *rig, phase time.Duration) (figures []figure, err error) {
	script := filepath.Join(r.dir, "borrow-v2.sh")
	if err := os.WriteFile(script, []byte(cgrouptest.BorrowV2), 0o700); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "bash", script, "with", self, "v2", phase.String())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err = cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 77 {
		return nil, cannot{errors.New(strings.TrimSpace(out.String()))}
	}
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &figures)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out.String())
	}
	return figures, nil
}

// measureV2 is that process: it prints the figures of a round as JSON.
func measureV2(length string) error {
	phase, err := time.ParseDuration(length)
	if err != nil {
		return err
	}
	var all []figure
	for _, p := range onV2 {
		figures, err := one(context.Background(), p, v2, phase)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		for _, f := range figures {
			f.Name += ", v2"
			all = append(all, f)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

package main

import (
	"context"
	"os"
	"strings"
	"time"
)

// startDashboard serves the fleet to browsers, and waits for the URL.
func (d *demo) startDashboard(ctx context.Context) (err error) {
	log := d.place.path("dashboard.log")
	if err := os.RemoveAll(log); err != nil { // of a demo before this one
		return err
	}
	address, err := freeAddress("127.0.0.1:8421")
	if err != nil {
		return err
	}
	d.dashboard, err = startChild("the dashboard", log, os.Environ(), d.place.path("bin", "reconciler"), "ui", "--repo", d.repo.clone,
		"--listen", address, "--fleet", fleetName, "--namespace-prefix", d.cluster.prefix)
	if err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		said, err := os.ReadFile(log)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(said)) {
			if strings.HasPrefix(line, "http://") && strings.HasSuffix(line, "\n") {
				d.url = strings.TrimSpace(line)
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-d.dashboard.done:
			return d.dashboard.ended()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

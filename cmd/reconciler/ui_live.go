package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// liveFlags say whether the dashboard shows a cluster, and which.
type liveFlags struct {
	clusterFlags
	on bool
}

func (f *liveFlags) add(fl *pflag.FlagSet) {
	fl.BoolVar(&f.on, "live", false, "show objects, events and logs of a cluster, with the rights of its kubeconfig; with --auth, with those of who asks")
	f.clusterFlags.add(fl, "with --live: ")
}

// open returns the cluster that the dashboard shows, nil if it shows none. Several people see what each of them may see there.
func (f *liveFlags) open(ctx context.Context, of fleetFlags, exports, several bool) (dashboard.Cluster, error) {
	switch {
	case !f.on && f.kubeconfig+f.context != "":
		return nil, errors.New("--kubeconfig and --context name the cluster that --live shows; add --live")
	case !f.on:
		return nil, nil
	case exports:
		return nil, errors.New("--export writes what the status branch says; what a cluster has now is shown by --live in a browser only")
	}
	cfg, err := f.config()
	if err != nil {
		return nil, fmt.Errorf("--live: %w", err)
	}
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // the pages tell what goes wrong with the cluster
	live, err := kubernetes.NewLive(ctx, cfg, kubernetes.LiveOptions{Fleet: of.fleet, Prefix: of.prefix, Impersonate: several})
	if err != nil {
		return nil, fmt.Errorf("--live: %w", err)
	}
	return uiCluster{live}, nil
}

// uiCluster is the cluster as the dashboard looks at it.
type uiCluster struct{ live *kubernetes.Live }

func (c uiCluster) Follow(app model.AppID, of runtime.Person) (dashboard.Followed, error) {
	f, err := c.live.Follow(app, of)
	if err != nil {
		return nil, err
	}
	return f, nil
}

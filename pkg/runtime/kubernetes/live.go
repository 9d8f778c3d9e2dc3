package kubernetes

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// LiveOptions say where in a cluster a fleet is, and with whose rights it is looked at.
type LiveOptions struct {
	Fleet       string // value of render.LabelFleet
	Prefix      string // put before every namespace name
	Impersonate bool   // whoever asks, so that everybody sees what the cluster lets them see; else the rights are those of the program
}

// Live shows people what a cluster has of applications now. It changes nothing, and nothing is sent before
// somebody looks. Its methods are for concurrent use.
type Live struct {
	LiveOptions
	cfg    *rest.Config
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

// discoverIn is how long the API server may take to list what it serves.
const discoverIn = 10 * time.Second

// NewLive returns what shows a cluster. With Impersonate it fails if the API server does not let us impersonate.
func NewLive(ctx context.Context, cfg *rest.Config, o LiveOptions) (*Live, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst = 50, 100 // an application has some ten kinds, which are watched at once
	if o.Impersonate {
		if err := mayImpersonate(ctx, cfg); err != nil {
			return nil, err
		}
	}
	asking := rest.CopyConfig(cfg)
	asking.Timeout = discoverIn
	d, err := discovery.NewDiscoveryClientForConfig(asking)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", cfg.Host, err)
	}
	return &Live{LiveOptions: o, cfg: cfg, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))}, nil
}

// Follow prepares to watch an application with the rights of a person. The caller closes what it returns.
func (l *Live) Follow(app model.AppID, of runtime.Person) (*Followed, error) {
	cfg := l.cfg
	if l.Impersonate {
		var err error
		if cfg, err = impersonating(cfg, of); err != nil {
			return nil, err
		}
	}
	f := &Followed{
		Background: runtime.NewBackground(), live: l, app: app, changed: make(chan struct{}), watches: map[livePlace]*liveWatch{},
		selected: render.LabelFleet + "=" + l.Fleet + "," + render.LabelTenant + "=" + app.Tenant + "," + render.LabelApplication + "=" + app.Name,
	}
	var err error
	if f.objects, err = dynamic.NewForConfig(cfg); err == nil {
		if f.metadata, err = metadata.NewForConfig(cfg); err == nil {
			f.core, err = v1.NewForConfig(cfg)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", cfg.Host, err)
	}
	return f, nil
}

package nomad

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// Options of a Runtime.
type Options struct {
	Address   string // such as https://nomad.example.com:4646
	TokenFile string // "": Nomad asks for none
	CAFile    string // of authorities, "": those of the system
	Fleet     string // whose jobs these are
	Prefix    string // of the namespaces of tenants

	Steady time.Duration // after which a task that runs is healthy, default 1 s
	Pause  time.Duration // after Nomad did not answer, default 1 s
	Within time.Duration // Nomad answers, or counts as one that does not, default 10 s
}

// Runtime is a cluster of Nomad. Close ends its look for changes.
type Runtime struct {
	runtime.Base
	o Options
	c *client

	mu         sync.Mutex
	namespaces map[string]bool         // that are known to be there, and to be the fleet's
	known      map[string]registration // by namespace and id: what was read last
	wrote      map[string]written      // by namespace and id: what this process holds there
	told       map[string]uint64       // deviations from that which were told
}

// registration is a job in the form that Nomad has it.
type registration struct {
	index   uint64
	version uint64
	count   int
	raw     json.RawMessage
}

// written is a job as this process left it.
type written struct {
	app   model.AppID
	index uint64
}

// New returns the runtime of a cluster. It does not ask whether it answers.
func New(o Options) (*Runtime, error) {
	c, err := newClient(o.Address, o.TokenFile, o.CAFile, cmp.Or(o.Within, 10*time.Second))
	if err != nil {
		return nil, err
	}
	o.Steady, o.Pause = cmp.Or(o.Steady, time.Second), cmp.Or(o.Pause, time.Second)
	r := &Runtime{
		Base: runtime.NewBase(carrier.Nomad), o: o, c: c,
		namespaces: map[string]bool{}, known: map[string]registration{}, wrote: map[string]written{}, told: map[string]uint64{},
	}
	for _, path := range []string{"jobs", "allocations"} {
		r.Busy.Go(func() { r.watch(r.Ctx, path) })
	}
	return r, nil
}

// Close ends the look for changes, and waits for that. What runs keeps running.
func (r *Runtime) Close() {
	r.Background.Close()
	r.c.http.CloseIdleConnections()
}

// watch tells of each change of a list.
func (r *Runtime) watch(ctx context.Context, path string) {
	for index := uint64(0); ctx.Err() == nil; {
		now, err := r.c.wait(ctx, path, index)
		if err != nil || now < index {
			index = 0 // another server may count anew
			runtime.Pause(ctx, r.o.Pause)
			continue
		}
		if now != index {
			index = now
			r.Tell()
		}
	}
}

// listed is a job in a list.
type listed struct {
	ID             string
	Namespace      string
	Type           string
	Stop           bool
	JobModifyIndex uint64
	Meta           map[string]string
	JobSummary     struct {
		Summary map[string]struct{ Queued int }
	}
}

func (s *listed) name() string { return s.Namespace + "/" + s.ID }

// jobs lists the jobs of the fleet.
func (r *Runtime) jobs(ctx context.Context) ([]listed, error) {
	all, err := list[listed](ctx, r.c, "jobs", url.Values{"namespace": {"*"}, "meta": {"true"}})
	all = slices.DeleteFunc(all, func(s listed) bool {
		return s.Meta[metaFleet] != r.o.Fleet || s.Namespace != r.o.Prefix+s.Meta[metaTenant] || s.ID != idOf(keyOf(s.Meta))
	})
	slices.SortFunc(all, func(x, y listed) int { return cmp.Compare(x.name(), y.name()) })
	return all, err
}

// registered returns a job in the form that Nomad has it.
func (r *Runtime) registered(ctx context.Context, s *listed, requests *runtime.Requests) (registration, error) {
	if known, ok := r.known[s.name()]; ok && known.index == s.JobModifyIndex {
		return known, nil
	}
	requests.Get++
	var raw json.RawMessage
	if err := r.c.do(ctx, http.MethodGet, "job/"+url.PathEscape(s.ID), url.Values{"namespace": {s.Namespace}}, nil, &raw); err != nil {
		return registration{}, err
	}
	var has struct {
		JobModifyIndex, Version uint64
		TaskGroups              []struct{ Count int }
	}
	if err := json.Unmarshal(raw, &has); err != nil {
		return registration{}, fmt.Errorf("job %s of Nomad is not of its form: %w", s.name(), err)
	}
	now := registration{index: has.JobModifyIndex, version: has.Version, raw: raw}
	for _, g := range has.TaskGroups {
		now.count += g.Count
	}
	r.known[s.name()] = now
	return now, nil
}

// Drifted returns, in order, the applications of which others changed a job since this process
// left it. Each is named once in the same state of affairs.
func (r *Runtime) Drifted() (apps []model.AppID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, err := r.jobs(context.Background()) // each of its requests is bounded
	if err != nil {
		return nil // it is not the time to act
	}
	now := map[string]uint64{}
	for i := range all {
		now[all[i].name()] = all[i].JobModifyIndex
	}
	told := map[string]uint64{}
	for name, w := range r.wrote {
		if index := now[name]; index != w.index {
			if was, ok := r.told[name]; !ok || was != index {
				apps = append(apps, w.app)
			}
			told[name] = index
		}
	}
	r.told = told
	slices.SortFunc(apps, model.AppID.Compare)
	return slices.Compact(apps)
}

package process

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Drifted returns, in order, the applications of which others changed the plan since this
// process wrote it, and those with a replica whose host is away, or has none and may get one.
// Each is named once in the same state of affairs.
func (r *Runtime) Drifted() (apps []model.AppID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pools, err := r.read()
	if err != nil {
		return nil // it is not the time to act
	}
	now := map[model.AppID]string{}
	for _, p := range pools {
		away, affairs := map[string]bool{}, ""
		for i := range p.hosts {
			h := &p.hosts[i]
			away[h.Host] = h.away
			affairs += fmt.Sprint(h.Host, h.away, h.Capacity, " ")
		}
		for i := range p.Workloads {
			w := &p.Workloads[i]
			misplaced := w.Placed() < w.Replicas
			for _, place := range w.Hosts {
				gone, known := away[place.Host]
				misplaced = misplaced || gone || !known
			}
			if misplaced {
				now[w.App] += p.Pool + " " + affairs
			}
		}
		last, wrote := r.wrote[p.Pool]
		if !wrote || last.Generation == p.Generation {
			continue
		}
		edited := fmt.Sprint("generation ", p.Generation)
		for i := range last.Workloads {
			w := &last.Workloads[i]
			if at, ok := p.Find(w.Key); !ok || !reflect.DeepEqual(p.Workloads[at], *w) {
				now[w.App] += edited
			}
		}
		for i := range p.Workloads {
			if _, ok := last.Find(p.Workloads[i].Key); !ok {
				now[p.Workloads[i].App] += edited
			}
		}
	}
	for app, affairs := range now {
		if r.told[app] != affairs {
			apps = append(apps, app)
		}
	}
	r.told = now
	slices.SortFunc(apps, model.AppID.Compare)
	return apps
}

package kubernetes

import (
	"context"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// againAfter is how long a refused request for another start waits.
const againAfter = 5 * time.Second

// machines starts machines again that run as they were declared before: KubeVirt leaves that to others. Only those of components that
// an assignment told to run so are, one of a component at a time, while those that are up to date are ready.
type machines struct {
	*runtime.Background
	again func(context.Context, *apply.Object) error

	mu   sync.Mutex
	apps map[model.AppID]map[string]*toldMachines // by component
}

// toldMachines is what a component was told to run, and the UID of the machine of it that was ended last.
type toldMachines struct {
	workload model.Digest
	ended    string
}

// told notes which versions of components assignments want. Those on hold stay as they are.
func (m *machines) told(list []runtime.Assignment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range list {
		before, now := m.apps[list[i].App], map[string]*toldMachines{}
		for k := range list[i].Components {
			if c := &list[i].Components[k]; c.Type == "vm" && !c.Hold {
				now[c.Name] = &toldMachines{workload: c.State.Workload}
				if was := before[c.Name]; was != nil {
					now[c.Name].ended = was.ended
				}
			}
		}
		if m.apps[list[i].App] = now; len(now) == 0 {
			delete(m.apps, list[i].App)
		}
	}
}

// look ends the next machines of an application that are to start again. It does not wait for that.
func (m *machines) look(app model.AppID, objects []*apply.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for component, told := range m.apps[app] {
		o := outdated(component, told.workload, objects)
		if o == nil || o.UID == told.ended {
			continue
		}
		told.ended = o.UID
		m.Busy.Go(func() {
			for m.again(m.Ctx, o) != nil && m.Ctx.Err() == nil {
				runtime.Pause(m.Ctx, againAfter)
			}
		})
	}
}

// outdated returns the instance of a component that is to end next, because it runs as declared before: first one that is not
// ready. It is nil while one that was started again is not ready.
func outdated(component string, told model.Digest, objects []*apply.Object) (next *apply.Object) {
	waiting := false
	for _, vm := range objects {
		if vm.Kind != virtualMachine.Kind || vm.Component != component {
			continue
		}
		s, instance := seen(vm), instanceOf(vm, objects)
		of, _ := parseWorkload(vm.Workload)
		switch ready := s.ready >= s.replicas; {
		case !s.outdated || instance == nil || of != told:
			if !ready {
				return nil
			}
		case next == nil || !ready && !waiting:
			next, waiting = instance, !ready
		}
	}
	return next
}

// instanceOf returns what runs of a machine, nil if that ends already.
func instanceOf(vm *apply.Object, objects []*apply.Object) *apply.Object {
	for _, o := range objects {
		if o.Kind == virtualMachineInstance.Kind && o.Owner == vm.Ref && !o.Deleting {
			return o
		}
	}
	return nil
}

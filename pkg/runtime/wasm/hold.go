package wasm

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// Bounds of what one tenant runs here, whatever its grants are.
const (
	maxReplicas = 64
	maxModules  = 64 << 20 // bytes of all its modules
)

// key names a part: a component of an application, its newer version, or the job of a step.
type key struct {
	app       model.AppID
	component string
	beside    bool
	job       string
}

func (k key) String() string {
	switch {
	case k.job != "":
		sum := sha256.Sum256([]byte(k.job))
		return fmt.Sprintf("%s.%s.%s.%x", k.app.Tenant, k.app.Name, k.component, sum[:6])
	case k.beside:
		return fmt.Sprintf("%s.%s.%s.beside", k.app.Tenant, k.app.Name, k.component)
	}
	return fmt.Sprintf("%s.%s.%s", k.app.Tenant, k.app.Name, k.component)
}

func (k key) compare(o key) int { return strings.Compare(k.String(), o.String()) }

// part is what runs for a key.
type part struct {
	program
	module   []byte
	digest   model.Digest // model.WorkloadDigest that it was told
	lock     string
	replicas []*replica
}

// wish is a part that is to be there.
type wish struct {
	key
	keep     bool // it stays as it is, and is not begun
	spec     *model.Application
	c        *model.Component
	grant    model.Grant
	inputs   []model.Value
	digest   model.Digest
	lock     string
	replicas int
}

// hold makes the parts of an application those of an assignment.
func (r *Runtime) hold(a *runtime.Assignment) (o runtime.Outcome) {
	o.App = a.App
	did := func(k key, action runtime.Action, err error) {
		result := runtime.Result{Object: "module " + k.String(), Component: k.component, Action: action}
		if err != nil {
			result.Reason, result.Message = model.OutcomeInvalid, err.Error()
		}
		o.Results = append(o.Results, result)
	}
	stay := map[key]bool{}
	for _, w := range r.wishes(a) {
		if stay[w.key] = true; w.keep {
			continue
		}
		switch action, err := r.grant(a, &w); {
		case err != nil:
			did(w.key, runtime.Failed, err)
		case action != "":
			did(w.key, action, nil)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(r.parts), key.compare) {
		if k.app == a.App && !stay[k] {
			r.scale(k, r.parts[k], 0)
			delete(r.parts, k)
			r.forget(k)
			did(k, runtime.Pruned, nil)
		}
	}
	return o
}

// grant makes a part as it is wished.
func (r *Runtime) grant(a *runtime.Assignment, w *wish) (runtime.Action, error) {
	p, err := programOf(w.c, w.grant, w.inputs)
	if err != nil {
		return "", err
	}
	now, there := r.parts[w.key]
	same := there && reflect.DeepEqual(now.program, p)
	if same && now.digest == w.digest && len(now.replicas) == w.replicas {
		return "", nil
	}
	next := &part{program: p, digest: w.digest, lock: w.lock}
	if same {
		next.module, next.replicas = now.module, now.replicas
	}
	if next.module == nil && w.replicas > 0 {
		files, err := a.Files(w.spec.Commit)
		if err != nil {
			return "", fmt.Errorf("read the directory of the application: %w", err)
		}
		if next.module, err = p.read(files); err != nil {
			return "", err
		}
	}
	if err := r.room(w, len(next.module)); err != nil {
		return "", err
	}
	if there && !same {
		r.scale(w.key, now, 0)
	}
	r.parts[w.key] = next
	r.scale(w.key, next, w.replicas)
	if there {
		return runtime.Configured, nil
	}
	return runtime.Created, nil
}

// room returns why a tenant may run no more here.
func (r *Runtime) room(w *wish, size int) error {
	replicas, bytes := w.replicas, size
	for k, p := range r.parts {
		if k != w.key && k.app.Tenant == w.app.Tenant {
			replicas += len(p.replicas)
			bytes += len(p.module)
		}
	}
	if w.replicas > 0 && replicas > maxReplicas {
		return fmt.Errorf("tenant %s would have %d modules running, and may have %d", w.app.Tenant, replicas, maxReplicas)
	}
	if w.replicas > 0 && bytes > maxModules {
		return fmt.Errorf("the modules of tenant %s would have %d bytes, and may have %d MiB", w.app.Tenant, bytes, maxModules>>20)
	}
	return nil
}

// scale has so many replicas of a part run.
func (r *Runtime) scale(k key, p *part, n int) {
	for _, one := range p.replicas[min(n, len(p.replicas)):] {
		one.stop()
	}
	p.replicas = p.replicas[:min(n, len(p.replicas))]
	for len(p.replicas) < n {
		log := ""
		if r.o.Logs != "" {
			log = filepath.Join(r.o.Logs, fmt.Sprintf("%s.%d.log", k, len(p.replicas)))
		}
		p.replicas = append(p.replicas, r.begin(p, log))
	}
}

// forget removes the output of a part that is gone.
func (r *Runtime) forget(k key) {
	if r.o.Logs == "" {
		return
	}
	for i := range maxReplicas {
		name := filepath.Join(r.o.Logs, fmt.Sprintf("%s.%d.log", k, i))
		_ = os.Remove(name)
		_ = os.Remove(name + ".1")
	}
}

// wishes lists what an assignment wants of modules.
func (r *Runtime) wishes(a *runtime.Assignment) (all []wish) {
	if a.Ends() || a.Instance == nil || a.Instance.Spec == nil {
		return nil
	}
	for i := range a.Components {
		c := &a.Components[i]
		if !c.Runs() {
			continue
		}
		w := wish{key: key{app: a.App, component: c.Name}, keep: c.Hold, spec: specOf(a.Instance, c.Component), c: c.Component, grant: c.State.Grant, digest: c.State.Workload}
		if c.Want == runtime.Running {
			w.replicas = c.State.Run
		}
		all = append(all, w)
		if b := c.State.Beside; b != nil {
			newer, ok := a.Instance.Spec.Component(c.Name)
			w.beside, w.keep = true, !ok || newer.Content(a.App) != b.Spec
			w.spec, w.c, w.digest, w.replicas = a.Instance.Spec, newer, b.Workload, b.Run
			all = append(all, w)
		}
	}
	for i := range a.Jobs {
		j := &a.Jobs[i]
		w := wish{key: key{app: a.App, component: j.Component, job: j.Key}, keep: true, inputs: j.Inputs, lock: j.Lock}
		for _, spec := range []*model.Application{a.Instance.Spec, a.Instance.Previous} {
			if spec == nil || spec.Release != j.Spec {
				continue
			}
			if c, ok := spec.Component(j.Component); ok && r.Carries(c, nil) == nil {
				w.spec, w.c, w.replicas = spec, c, max(1, c.Replicas)
				w.grant = model.Grant{Component: c.Name, Requests: c.Requests, QoS: c.QoS, Pool: c.Placement.Pool}
				w.digest, w.keep = model.WorkloadDigest(c, w.grant, w.replicas), j.Keep
			}
			break
		}
		all = append(all, w)
	}
	return all
}

// specOf returns the spec that has a component.
func specOf(inst *model.Instance, c *model.Component) *model.Application {
	if inst.Previous != nil {
		if was, ok := inst.Previous.Component(c.Name); ok && was == c {
			return inst.Previous
		}
	}
	return inst.Spec
}

package wasm

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// Bounds of what one tenant runs here, whatever its grants are.
const (
	maxReplicas = 64
	maxModules  = 64 << 20 // bytes of all its modules
)

// nameOf names a part on this machine.
func nameOf(k model.PartKey) string { return k.App.Tenant + "." + runtime.NameOf(k, 6) }

// part is what runs for a key.
type part struct {
	program
	module   []byte
	digest   model.Digest // model.WorkloadDigest that it was told
	lock     string
	replicas []*replica
}

// hold makes the parts of an application those of an assignment.
func (r *Runtime) hold(a *runtime.Assignment) (o runtime.Outcome) {
	o.App = a.App
	did := func(k model.PartKey, action runtime.Action, err error) {
		result := runtime.Result{Object: "module " + nameOf(k), Component: k.Component, Action: action}
		if err != nil {
			result.Reason, result.Message = model.OutcomeInvalid, err.Error()
		}
		o.Results = append(o.Results, result)
	}
	stay := map[model.PartKey]bool{}
	for _, w := range a.Parts("wasm") {
		k := w.PartKey
		if stay[k] = true; w.Keep {
			continue
		}
		switch action, err := r.grant(a, &w); {
		case err != nil:
			did(k, runtime.Failed, err)
		case action != "":
			did(k, action, nil)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(r.parts), model.PartKey.Compare) {
		if k.App == a.App && !stay[k] {
			r.scale(k, r.parts[k], 0)
			delete(r.parts, k)
			r.forget(k)
			did(k, runtime.Pruned, nil)
		}
	}
	return o
}

// grant makes a part as it is wanted.
func (r *Runtime) grant(a *runtime.Assignment, w *runtime.Part) (runtime.Action, error) {
	p, err := programOf(w.Declared, w.Grant, w.Inputs)
	if err != nil {
		return "", err
	}
	now, there := r.parts[w.PartKey]
	same := there && reflect.DeepEqual(now.program, p)
	if same && now.digest == w.Digest && len(now.replicas) == w.Replicas {
		return "", nil
	}
	next := &part{program: p, digest: w.Digest, lock: w.Lock}
	if same {
		next.module, next.replicas = now.module, now.replicas
	}
	if next.module == nil && w.Replicas > 0 {
		files, err := a.Files(w.Spec.Commit)
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
		r.scale(w.PartKey, now, 0)
	}
	r.parts[w.PartKey] = next
	r.scale(w.PartKey, next, w.Replicas)
	if there {
		return runtime.Configured, nil
	}
	return runtime.Created, nil
}

// room returns why a tenant may run no more here.
func (r *Runtime) room(w *runtime.Part, size int) error {
	replicas, bytes := w.Replicas, size
	for k, p := range r.parts {
		if k != w.PartKey && k.App.Tenant == w.App.Tenant {
			replicas += len(p.replicas)
			bytes += len(p.module)
		}
	}
	if w.Replicas > 0 && replicas > maxReplicas {
		return fmt.Errorf("tenant %s would have %d modules running, and may have %d", w.App.Tenant, replicas, maxReplicas)
	}
	if w.Replicas > 0 && bytes > maxModules {
		return fmt.Errorf("the modules of tenant %s would have %d bytes, and may have %d MiB", w.App.Tenant, bytes, maxModules>>20)
	}
	return nil
}

// scale has so many replicas of a part run.
func (r *Runtime) scale(k model.PartKey, p *part, n int) {
	for _, one := range p.replicas[min(n, len(p.replicas)):] {
		one.stop()
	}
	p.replicas = p.replicas[:min(n, len(p.replicas))]
	for len(p.replicas) < n {
		log := ""
		if r.o.Logs != "" {
			log = filepath.Join(r.o.Logs, fmt.Sprintf("%s.%d.log", nameOf(k), len(p.replicas)))
		}
		p.replicas = append(p.replicas, r.begin(p, log))
	}
}

// forget removes the output of a part that is gone.
func (r *Runtime) forget(k model.PartKey) {
	if r.o.Logs == "" {
		return
	}
	for i := range maxReplicas {
		name := filepath.Join(r.o.Logs, fmt.Sprintf("%s.%d.log", nameOf(k), i))
		_ = os.Remove(name)
		_ = os.Remove(name + ".1")
	}
}

package lifecycle

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// endMargin is how long a component may take to be gone after its grace.
const endMargin = 30 * time.Second

// end gives up what the instance was granted, and stops it in the reverse order of
// its start: what nothing depends on at once, the rest when what depends on it is
// seen to be gone, or the time for that is over.
func (f *facts) end() {
	f.inst.Deadline, f.inst.Refused = time.Time{}, nil
	f.dropPrevious()
	f.inst.Components = slices.DeleteFunc(f.inst.Components, func(s model.ComponentState) bool { return s.Run == 0 && !f.there(s.Grant.Component) })
	f.inst.Components = f.needed()
	for i := range f.inst.Components {
		s := &f.inst.Components[i]
		s.Hold, s.State, s.Since, s.Message = true, model.StateEnding, f.now, "until what depends on it is gone"
		s.Pause, s.Beside = time.Time{}, nil
	}
	f.inst.EndBy = time.Time{}
	if len(f.inst.Components) > 0 {
		f.inst.EndBy = f.now.Add(time.Duration(layers(f.inst.Spec)) * (f.inst.Spec.Lifecycle.Grace + endMargin))
	}
}

// endFurther stops what nothing depends on any more.
func (f *facts) endFurther() {
	if !f.inst.Ending() {
		return
	}
	if f.inst.Components = f.needed(); !f.now.Before(f.inst.EndBy) {
		f.inst.Components = nil
	}
	if len(f.inst.Components) == 0 {
		f.inst.Components, f.inst.EndBy = nil, time.Time{}
	}
}

// needed are the components that something depends on that is not gone yet.
func (f *facts) needed() (kept []model.ComponentState) {
	for i := range f.inst.Components {
		name := f.inst.Components[i].Grant.Component
		if slices.ContainsFunc(f.inst.Spec.Components, func(c model.Component) bool {
			_, waits := f.inst.Component(c.Name)
			return slices.Contains(c.DependsOn, name) && (waits || f.there(c.Name))
		}) {
			kept = append(kept, f.inst.Components[i])
		}
	}
	return kept
}

// there says whether the runtimes show anything of a component.
func (f *facts) there(component string) bool {
	_, ok := f.seen.Find(f.inst.App, component)
	return ok
}

// layers is the length of the longest chain of dependencies, of a spec without
// cycles.
func layers(spec *model.Application) (most int) {
	depth := map[string]int{}
	var measure func(name string, above int) int
	measure = func(name string, above int) int {
		if d, ok := depth[name]; ok || above > len(spec.Components) {
			return d
		}
		d := 1
		if c, ok := spec.Component(name); ok {
			for _, dep := range c.DependsOn {
				d = max(d, 1+measure(dep, above+1))
			}
		}
		depth[name] = d
		return d
	}
	for i := range spec.Components {
		most = max(most, measure(spec.Components[i].Name, 0))
	}
	return most
}

// endText tells why an instance ends, and what becomes of its volumes.
func (f *facts) endText(why string, reason model.Reason) string {
	volumes := f.volumes()
	if volumes == "" {
		return why
	}
	ended := model.Instance{Phase: model.Terminated, Reason: reason, Spec: f.inst.Spec}
	if ended.DeletesData() {
		return why + "; its volumes are deleted: " + volumes
	}
	return why + "; its volumes are kept: " + volumes
}

// volumes names the persistent volumes of the accepted spec.
func (f *facts) volumes() string {
	if f.inst.Spec == nil {
		return ""
	}
	var names []string
	for i := range f.inst.Spec.Components {
		var traits struct {
			Storage []struct{ Name, Type string }
		}
		c := &f.inst.Spec.Components[i]
		if len(c.Traits) == 0 || json.Unmarshal(c.Traits, &traits) != nil {
			continue
		}
		for _, v := range traits.Storage {
			if v.Type == "persistent" {
				names = append(names, c.Name+"/"+v.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

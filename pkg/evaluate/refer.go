package evaluate

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// A host is a place on the network that an application wants to serve.
type host struct {
	name, path string
	at         string
}

// propertiesDoc and traitsDoc are what of a component's spec refers to something.
type propertiesDoc struct {
	Env map[string]json.RawMessage `json:"env"`

	Ports []struct {
		Port     int    `json:"port"`
		Name     string `json:"name"`
		Protocol string `json:"protocol"`
		Expose   bool   `json:"expose"`
	} `json:"ports"`
	Objects []struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name string `json:"name"`
		} `json:"metadata"`
	} `json:"objects"`
	Path string `json:"path"`
}

type traitsDoc struct {
	Storage []struct {
		Name      string `json:"name"`
		Type      string `json:"type"`
		MountPath string `json:"mountPath"`
		Source    string `json:"source"`
	} `json:"storage"`
	EnvFrom []map[string]string        `json:"envFrom"`
	Probes  map[string]json.RawMessage `json:"probes"`
	Ingress []struct {
		Host string `json:"host"`
		Port int    `json:"port"`
		Path string `json:"path"`
	} `json:"ingress"`
	Autoscale *struct {
		Min int `json:"min"`
		Max int `json:"max"`
	} `json:"autoscale"`
}

// refer checks what one application refers to, and returns the hosts it wants.
func refer(a *model.Application, in applicationInput, own *layer) (hosts []host, problems []model.Problem) {
	for i := range a.Components {
		r := references{app: a, c: &a.Components[i], in: in, own: own}
		r.check()
		hosts = append(hosts, r.hosts...)
		problems = append(problems, r.problems...)
	}
	if p, ok := cycle(a, own); ok {
		problems = append(problems, p)
	}
	return hosts, append(problems, checkWorkflow(a, own)...)
}

// references checks one component.
type references struct {
	app *model.Application
	c   *model.Component
	in  applicationInput
	own *layer

	hosts    []host
	problems []model.Problem
}

func (r *references) bad(code, below, format string, args ...any) {
	r.problems = append(r.problems, r.own.blame(code, "application.components."+r.c.Name+below, fmt.Sprintf(format, args...)))
}

func (r *references) check() {
	for _, name := range r.c.DependsOn {
		if _, ok := r.app.Component(name); !ok {
			r.bad(codeDependsOn, ".dependsOn", "depends on %s, which is no component of the application", name)
		} else if name == r.c.Name {
			r.bad(codeCycle, ".dependsOn", "depends on itself")
		}
	}
	var properties propertiesDoc
	var traits traitsDoc
	// Both came out of the schema and decode; fields without references are ignored.
	json.Unmarshal(r.c.Properties, &properties)
	json.Unmarshal(r.c.Traits, &traits)
	r.ports(properties, traits)
	r.objects(properties)
	r.environment(properties, traits)
	r.storage(traits)
	r.probes(traits)
	if properties.Path != "" {
		r.directory(properties.Path)
	}
	if s := traits.Autoscale; s != nil && s.Min > s.Max {
		r.bad(codeScaleBounds, ".traits.autoscale", "wants at least %d and at most %d replicas", s.Min, s.Max)
	}
	if traits.Autoscale != nil && r.c.Requests.CPU == 0 {
		r.bad(codeScaleCPU, ".traits.autoscale.cpu", "is a part of the CPU that the component requests, and it requests none")
	}
}

func (r *references) ports(properties propertiesDoc, traits traitsDoc) {
	ports, names := map[string]bool{}, map[string]bool{}
	exposed := map[int]bool{}
	for i, p := range properties.Ports {
		where := fmt.Sprintf(".properties.ports.%d", i)
		id := fmt.Sprint(p.Port, "/", p.Protocol)
		if ports[id] {
			r.bad(codePort, where+".port", "port %s is there twice", id)
		}
		if p.Name != "" && names[p.Name] {
			r.bad(codePort, where+".name", "the name %s is there twice", p.Name)
		}
		ports[id], names[p.Name] = true, true
		exposed[p.Port] = exposed[p.Port] || p.Expose && p.Protocol == "TCP"
	}
	for i, in := range traits.Ingress {
		where := fmt.Sprintf(".traits.ingress.%d", i)
		if !exposed[in.Port] {
			r.bad(codeIngressPort, where+".port", "leads to port %d, which is no exposed TCP port of the component", in.Port)
		}
		e, _ := r.own.where.find(strings.Split("application.components."+r.c.Name+where+".host", "."))
		r.hosts = append(r.hosts, host{in.Host, in.Path, e.value})
	}
}

func (r *references) objects(properties propertiesDoc) {
	seen := map[string]bool{}
	for i, o := range properties.Objects {
		id := strings.ToLower(o.APIVersion + " " + o.Kind + " " + o.Metadata.Name)
		if seen[id] {
			r.bad(codeObject, fmt.Sprintf(".properties.objects.%d", i), "%s %s is there twice", o.Kind, o.Metadata.Name)
		}
		seen[id] = true
	}
}

// refersTo checks that a component of the wanted type exists.
func (r *references) refersTo(kind, name, where string) {
	if c, ok := r.app.Component(name); !ok {
		r.bad(codeComponentRef, where, "refers to %s, which is no component of the application", name)
	} else if c.Type != kind {
		r.bad(codeComponentRef, where, "refers to %s as a %s, and it is a %s", name, kind, c.Type)
	}
}

func (r *references) environment(properties propertiesDoc, traits traitsDoc) {
	var names []string
	for name := range properties.Env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var from map[string]struct{ Name, Key string }
		if json.Unmarshal(properties.Env[name], &from) != nil {
			continue // a string, or a field of the pod
		}
		for _, kind := range []string{"config", "secret"} {
			ref, ok := from[kind]
			if !ok {
				continue
			}
			where := ".properties.env." + name + "." + kind
			before := len(r.problems)
			if r.refersTo(kind, ref.Name, where+".name"); len(r.problems) > before {
				continue
			}
			c, _ := r.app.Component(ref.Name)
			var source struct{ Data map[string]string }
			json.Unmarshal(c.Properties, &source)
			if _, ok := source.Data[ref.Key]; !ok {
				r.bad(codeComponentRef, where+".key", "refers to key %s, which %s %s does not have", ref.Key, kind, ref.Name)
			}
		}
	}
	for i, from := range traits.EnvFrom {
		for _, kind := range []string{"config", "secret"} {
			if name, ok := from[kind]; ok {
				r.refersTo(kind, name, fmt.Sprintf(".traits.envFrom.%d.%s", i, kind))
			}
		}
	}
}

func (r *references) storage(traits traitsDoc) {
	names, paths := map[string]bool{}, map[string]bool{}
	for i, s := range traits.Storage {
		where := fmt.Sprintf(".traits.storage.%d", i)
		mount := path.Clean(s.MountPath)
		switch {
		case names[s.Name]:
			r.bad(codeStorage, where+".name", "the name %s is there twice", s.Name)
		case paths[mount]:
			r.bad(codeStorage, where+".mountPath", "something else is mounted at %s already", mount)
		case s.Type == "persistent" && r.c.Type != "store" && (r.c.Replicas > 1 || r.c.Type == "daemon"):
			r.bad(codeStorage, where+".type", "is one volume for several replicas; a component of type store gives each its own")
		}
		names[s.Name], paths[mount] = true, true
		if s.Source != "" {
			r.refersTo(s.Type, s.Source, where+".source")
		}
	}
}

func (r *references) probes(traits traitsDoc) {
	for _, name := range []string{"liveness", "readiness", "startup"} {
		var ways map[string]json.RawMessage
		if json.Unmarshal(traits.Probes[name], &ways) != nil {
			continue
		}
		n := 0
		for _, way := range []string{"http", "tcp", "exec"} {
			if _, ok := ways[way]; ok {
				n++
			}
		}
		if n != 1 {
			r.bad(codeProbe, ".traits.probes."+name, "asks in %d ways; write exactly one of http, tcp and exec", n)
		}
	}
}

// directory checks that a kustomization is where the component says. The schema
// keeps its path inside the application's directory.
func (r *references) directory(dir string) {
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if slices.Contains(r.in.rest, path.Join(dir, name)) {
			return
		}
	}
	r.bad(codePath, ".properties.path", "there is no kustomization.yaml in %s", path.Join(applicationDir(r.in.app), dir))
}

// cycle finds components that wait for each other.
func cycle(a *model.Application, own *layer) (model.Problem, bool) {
	const visiting, done = 1, 2
	state := map[string]int{}
	var trail, found []string
	var visit func(name string)
	visit = func(name string) {
		c, ok := a.Component(name)
		if !ok || found != nil || state[name] == done {
			return
		}
		trail = append(trail, name)
		if state[name] == visiting {
			found = slices.Clone(trail[slices.Index(trail, name):])
			return
		}
		state[name] = visiting
		for _, next := range c.DependsOn {
			visit(next)
		}
		state[name] = done
		trail = trail[:len(trail)-1]
	}
	for i := range a.Components {
		visit(a.Components[i].Name)
	}
	if len(found) <= 2 { // itself: said already
		return model.Problem{}, false
	}
	return own.blame(codeCycle, "application.components."+found[0]+".dependsOn",
		"waits for itself: "+strings.Join(found, " → ")), true
}

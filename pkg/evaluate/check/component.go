package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// propertiesDoc and traitsDoc are the parts of a component's spec that have references.
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
	Path     string `json:"path"`
	Chart    string `json:"chart"`
	Module   string `json:"module"`
	From     any    `json:"from"`
	Deadline string `json:"deadline"`

	Data     json.RawMessage   `json:"data"`
	DataFrom []json.RawMessage `json:"dataFrom"`
	Sops     string            `json:"sops"`
}

type traitsDoc struct {
	Storage []struct {
		Name      string          `json:"name"`
		Type      string          `json:"type"`
		MountPath string          `json:"mountPath"`
		Source    json.RawMessage `json:"source"`
		Shared    bool            `json:"shared"`
	} `json:"storage"`
	EnvFrom []map[string]json.RawMessage `json:"envFrom"`
	Probes  map[string]json.RawMessage   `json:"probes"`
	Hooks   map[string]json.RawMessage   `json:"lifecycle"`

	Init     []extraDoc `json:"init"`
	Sidecars []extraDoc `json:"sidecars"`
	Ingress  []struct {
		Host string          `json:"host"`
		Port json.RawMessage `json:"port"` // or its name
		Path string          `json:"path"`
	} `json:"ingress"`
	Autoscale *struct {
		Min int `json:"min"`
		Max int `json:"max"`
		CPU int `json:"cpu"`
	} `json:"autoscale"`
}

// extraDoc is a container beside the component's own.
type extraDoc struct {
	Env     map[string]json.RawMessage   `json:"env"`
	EnvFrom []map[string]json.RawMessage `json:"envFrom"`
	Probes  map[string]json.RawMessage   `json:"probes"`
}

// references checks one component.
type references struct {
	app    *model.Application
	c      *model.Component
	beside []string
	own    *layer.Layer

	problems []model.Problem
}

func (r *references) bad(code, below, format string, args ...any) {
	r.problems = append(r.problems, r.own.Blame(code, "application.components."+r.c.Name+below, fmt.Sprintf(format, args...)))
}

func (r *references) check() {
	for _, name := range r.c.DependsOn {
		if _, ok := r.app.Component(name); !ok {
			r.bad(catalogue.DependsOn, ".dependsOn", "depends on %s, which is no component of the application", name)
		} else if name == r.c.Name {
			r.bad(catalogue.Cycle, ".dependsOn", "depends on itself")
		}
	}
	var properties propertiesDoc
	var traits traitsDoc
	// The schema has checked both, so they decode. Fields without references are ignored.
	json.Unmarshal(r.c.Properties, &properties)
	json.Unmarshal(r.c.Traits, &traits)
	r.ports(properties, traits)
	r.objects(properties)
	r.variables(".properties.env", properties.Env)
	r.allKeys(".traits.envFrom", traits.EnvFrom)
	r.extras(".traits.init", traits.Init)
	r.extras(".traits.sidecars", traits.Sidecars)
	r.storage(traits)
	r.probes(".traits.probes", traits.Probes)
	for i, c := range traits.Sidecars {
		r.probes(fmt.Sprintf(".traits.sidecars.%d.probes", i), c.Probes)
	}
	r.hooks(traits)
	if properties.Path != "" { // the schema keeps it inside the application's directory
		r.exists(catalogue.Path, ".properties.path", "kustomization.yaml in", properties.Path,
			path.Join(properties.Path, "kustomization.yaml"), path.Join(properties.Path, "kustomization.yml"), path.Join(properties.Path, "Kustomization"))
	}
	if r.c.Runtime == carrier.Wasm.Name { // the digest is checked when it is begun
		r.exists(catalogue.NoModule, ".properties.module", "file", properties.Module, properties.Module)
	}
	switch r.c.Type {
	case "helm":
		if properties.From == nil { // else rendering reads it
			r.exists(catalogue.NoChart, ".properties.chart", "Chart.yaml in", properties.Chart, path.Join(properties.Chart, "Chart.yaml"))
		}
	case "secret":
		r.secret(properties)
	case "external-secret":
		r.externalSecret(properties)
	}
	r.expected(properties)
	if s := traits.Autoscale; s != nil && s.Min > s.Max {
		r.bad(catalogue.ScaleBounds, ".traits.autoscale", "wants at least %d and at most %d replicas", s.Min, s.Max)
	}
	if s := traits.Autoscale; s != nil && s.CPU > 0 && r.c.Requests.CPU == 0 {
		r.bad(catalogue.ScaleCPU, ".traits.autoscale.cpu", "is a part of the CPU that the component requests, and it requests none")
	}
}

// expected checks how long a component is expected to run.
func (r *references) expected(properties propertiesDoc) {
	if r.c.Expect == 0 {
		return
	}
	if !r.c.Finite() {
		r.bad(catalogue.ExpectEndless, ".expect", "is of jobs, which end by themselves; a component of type %s does not", r.c.Type)
		return
	}
	deadline, err := time.ParseDuration(properties.Deadline)
	if err != nil || r.c.Expect <= deadline {
		return
	}
	r.bad(catalogue.ExpectDeadline, ".expect", "is longer than %s, after which the job is stopped (properties.deadline)", properties.Deadline)
	if at, ok := r.own.Value("application.components." + r.c.Name + ".properties.deadline"); ok {
		p := &r.problems[len(r.problems)-1]
		p.Places = append(p.Places, model.Place{At: at, Note: "application.components." + r.c.Name + ".properties.deadline: " + properties.Deadline})
	}
}

// secret checks where the values of a secret come from.
func (r *references) secret(properties propertiesDoc) {
	switch {
	case (properties.Data != nil) == (properties.Sops != ""):
		r.bad(catalogue.SecretSource, ".properties", "has either data, or sops: the name of an encrypted file")
	case properties.Sops != "":
		r.exists(catalogue.EncryptedFile, ".properties.sops", "file", properties.Sops, properties.Sops)
	}
}

// externalSecret checks that an external secret has something to read.
func (r *references) externalSecret(properties propertiesDoc) {
	var data map[string]json.RawMessage
	json.Unmarshal(properties.Data, &data)
	if len(data) == 0 && len(properties.DataFrom) == 0 {
		r.bad(catalogue.ExternalValues, ".properties", "names nothing that the store has: neither data nor dataFrom")
	}
}

func (r *references) storage(traits traitsDoc) {
	names, paths := map[string]bool{}, map[string]bool{}
	for i, s := range traits.Storage {
		where := fmt.Sprintf(".traits.storage.%d", i)
		mount := path.Clean(s.MountPath)
		switch {
		case names[s.Name]:
			r.bad(catalogue.Storage, where+".name", "the name %s is there twice", s.Name)
		case paths[mount]:
			r.bad(catalogue.Storage, where+".mountPath", "something else is mounted at %s already", mount)
		case (s.Type == "persistent" && r.c.Type != "store" || s.Type == "claim") && !s.Shared && (r.c.Replicas > 1 || r.c.Type == "daemon"):
			r.bad(catalogue.Storage, where+".type", "is one volume for several replicas; write shared if its class lets them share it, or a component of type store, which gives each its own")
		}
		names[s.Name], paths[mount] = true, true
		var source string
		if json.Unmarshal(s.Source, &source) == nil && source != "" {
			r.refersTo(s.Type, source, where+".source")
		}
	}
}

func (r *references) probes(below string, probes map[string]json.RawMessage) {
	for _, name := range []string{"liveness", "readiness", "startup"} {
		var ways map[string]json.RawMessage
		if json.Unmarshal(probes[name], &ways) != nil {
			continue
		}
		maps.DeleteFunc(ways, func(way string, _ json.RawMessage) bool {
			return !slices.Contains([]string{"http", "tcp", "grpc", "exec"}, way)
		})
		if n := len(ways); n != 1 {
			r.bad(catalogue.Probe, below+"."+name, "asks in %d ways; write exactly one of http, tcp, grpc and exec", n)
		}
	}
}

// usualGrace is how long Kubernetes lets a pod take to end that says nothing about it.
const usualGrace = 30 * time.Second

// hooks checks that each does one thing, and that a pause ends before the pod is killed.
func (r *references) hooks(traits traitsDoc) {
	for _, name := range []string{"postStart", "preStop"} {
		var ways map[string]json.RawMessage
		if json.Unmarshal(traits.Hooks[name], &ways) != nil || traits.Hooks[name] == nil {
			continue
		}
		if len(ways) != 1 {
			r.bad(catalogue.Hook, ".traits.lifecycle."+name, "does %d things; write exactly one of exec, http and sleep", len(ways))
			continue
		}
		var pause string
		if json.Unmarshal(ways["sleep"], &pause) != nil {
			continue
		}
		grace := cmp.Or(r.app.Lifecycle.Grace, usualGrace)
		if d, err := time.ParseDuration(pause); err != nil || d >= grace || d <= 0 {
			r.bad(catalogue.Hook, ".traits.lifecycle."+name+".sleep", "pauses for %s; write more than nothing and less than the %s that the application may take to end (lifecycle.grace)", pause, grace)
		}
	}
}

// exists blames a value that names a place in the application's directory unless one of the files is there.
func (r *references) exists(code, below, what, at string, files ...string) {
	if !slices.ContainsFunc(files, func(name string) bool { return slices.Contains(r.beside, name) }) {
		r.bad(code, below, "there is no %s %s", what, path.Join(layer.ApplicationDir(r.app.ID), at))
	}
}

package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

func (r *references) ports(properties propertiesDoc, traits traitsDoc) {
	ports, names := map[string]bool{}, map[string]bool{}
	exposed := map[string]bool{}
	for i, p := range properties.Ports {
		where := fmt.Sprintf(".properties.ports.%d", i)
		id := fmt.Sprint(p.Port, "/", p.Protocol)
		if ports[id] {
			r.bad(catalogue.Port, where+".port", "port %s is there twice", id)
		}
		if p.Name != "" && names[p.Name] {
			r.bad(catalogue.Port, where+".name", "the name %s is there twice", p.Name)
		}
		ports[id], names[p.Name] = true, true
		if p.Expose && p.Protocol == "TCP" {
			exposed[fmt.Sprint(p.Port)], exposed[strconv.Quote(p.Name)] = true, true
		}
	}
	for i, in := range traits.Ingress {
		where := fmt.Sprintf(".traits.ingress.%d", i)
		if !exposed[string(in.Port)] {
			r.bad(catalogue.IngressPort, where+".port", "leads to port %s, which is no exposed TCP port of the component", in.Port)
		}
	}
}

func (r *references) objects(properties propertiesDoc) {
	seen := map[string]bool{}
	for i, o := range properties.Objects {
		id := strings.ToLower(o.APIVersion + " " + o.Kind + " " + o.Metadata.Name)
		if seen[id] {
			r.bad(catalogue.Object, fmt.Sprintf(".properties.objects.%d", i), "%s %s is there twice", o.Kind, o.Metadata.Name)
		}
		seen[id] = true
	}
}

// refersTo checks that a component of the wanted type exists.
func (r *references) refersTo(kind, name, where string) bool {
	c, ok := r.app.Component(name)
	switch {
	case !ok:
		r.bad(catalogue.ComponentRef, where, "refers to %s, which is no component of the application", name)
	case c.Configures() != kind:
		r.bad(catalogue.ComponentRef, where, "refers to %s as a %s, and it is a %s", name, kind, c.Type)
	default:
		return true
	}
	return false
}

// keysOf returns the keys that are known of a config or secret component, and whether these
// are all: nobody looks into encrypted files and stores here.
func keysOf(c *model.Component) (keys []string, all bool) {
	source := gjson.GetManyBytes(c.Properties, "data", "dataFrom")
	return slices.Collect(maps.Keys(source[0].Map())), c.Encrypted() == "" && len(source[1].Array()) == 0
}

// extras checks what containers beside the component's own have as variables.
func (r *references) extras(below string, containers []extraDoc) {
	for i, c := range containers {
		r.variables(fmt.Sprintf("%s.%d.env", below, i), c.Env)
		r.allKeys(fmt.Sprintf("%s.%d.envFrom", below, i), c.EnvFrom)
	}
}

// allKeys checks the configs and secrets of which a container has all keys as variables.
func (r *references) allKeys(below string, sources []map[string]json.RawMessage) {
	for i, from := range sources {
		for _, kind := range []string{"config", "secret"} {
			var name string
			if raw, ok := from[kind]; ok && json.Unmarshal(raw, &name) == nil { // else it is a Secret that others made
				r.refersTo(kind, name, fmt.Sprintf("%s.%d.%s", below, i, kind))
			}
		}
	}
}

// variables checks that variables refer to keys that there are.
func (r *references) variables(below string, env map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		var from map[string]struct{ Name, Key, Existing string }
		if json.Unmarshal(env[name], &from) != nil {
			continue // a string, or a field of the pod
		}
		for _, kind := range []string{"config", "secret"} {
			ref, ok := from[kind]
			where := below + "." + name + "." + kind
			if !ok || ref.Existing != "" || !r.refersTo(kind, ref.Name, where+".name") {
				continue
			}
			c, _ := r.app.Component(ref.Name)
			if keys, all := keysOf(c); all && !slices.Contains(keys, ref.Key) {
				r.bad(catalogue.ComponentRef, where+".key", "refers to key %s, which %s %s does not have", ref.Key, kind, ref.Name)
			}
		}
	}
}

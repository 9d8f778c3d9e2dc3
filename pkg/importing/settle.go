package importing

import (
	"cmp"

	"github.com/d-aros/d-aros/pkg/model"
)

// What a container requests that says nothing.
const (
	defaultCPU    = "50m"
	defaultMemory = "64Mi"
)

// settle makes the parts of a component fit each other as the schema and the renderer want it.
func (c *component) settle(t *translation) {
	switch c.doc["type"] {
	case "config", "raw", "helm":
		return
	case "webservice", "worker", "store":
	default:
		if c.doc.get("properties.ports") != nil && c.doc["type"] != "daemon" {
			delete(c.doc.sub("properties"), "ports")
			t.note("%s: a component of type %s has no ports", c.name, c.doc["type"])
		}
		traits, _ := c.doc["traits"].(doc)
		for _, name := range []string{"ingress", "autoscale", "disruption", "service", "update"} {
			if _, has := traits[name]; has {
				delete(traits, name)
				t.note("%s: a component of type %s has no %s", c.name, c.doc["type"], name)
			}
		}
	}
	c.stores(t)
	c.share(t)
	c.memory(t)
	c.trim()
}

// stores makes a store of a component with persistent volumes, whose replicas each have their own.
func (c *component) stores(t *translation) {
	for _, e := range c.doc.list("traits.storage") {
		if e.(doc)["type"] == "claim" && (c.replicas() > 1 || c.doc["type"] == "daemon" || c.doc.get("traits.autoscale") != nil) {
			e.(doc)["shared"] = true
			t.note("%s: several replicas share the claim %s, which its class has to allow", c.name, e.(doc)["claim"])
		}
		if e.(doc)["type"] != "persistent" {
			continue
		}
		if c.doc["type"] == "webservice" || c.doc["type"] == "worker" {
			c.doc["type"] = "store"
			t.note("%s: is of type store, because it has a persistent volume", c.name)
		}
		if update, ok := c.doc.get("traits.update").(doc); ok && c.doc["type"] == "store" {
			for _, name := range []string{"recreate", "maxUnavailable"} {
				if update[name] != nil {
					delete(update, name)
					t.note("%s: a store replaces its replicas one after the other, so %s is left out", c.name, name)
				}
			}
			if len(update) == 0 {
				delete(c.doc.sub("traits"), "update")
			}
		}
	}
}

// share gives sidecars a share of the requests: without a word each has a small one, and the component
// requests what all of them do.
func (c *component) share(t *translation) {
	sidecars := c.doc.list("traits.sidecars")
	if len(sidecars) == 0 {
		return
	}
	for _, resource := range []struct {
		name, least string
		parse       func(string) (int64, error)
	}{{"cpu", defaultCPU, model.ParseCPU}, {"memory", defaultMemory, model.ParseMemory}} {
		requests := c.doc.sub("resources").sub("requests")
		sum := amount(requests, resource.name, resource.least, resource.parse)
		limited, _ := c.doc.get("resources.limits." + resource.name).(string)
		most, _ := resource.parse(limited)
		for _, s := range sidecars {
			s := s.(doc)
			asked := amount(s.sub("resources").sub("requests"), resource.name, resource.least, resource.parse)
			s.sub("resources").sub("requests")[resource.name] = model.FormatAmount(resource.name, asked)
			limit, _ := s.get("resources.limits." + resource.name).(string)
			may, _ := resource.parse(limit)
			sum, most = sum+asked, most+max(asked, may)
		}
		requests[resource.name] = model.FormatAmount(resource.name, sum)
		if limited != "" {
			c.doc.set("resources.limits."+resource.name, model.FormatAmount(resource.name, most))
		}
	}
	t.note("%s: its requests and limits are those of all its containers together", c.name)
}

// memory lets a component request the memory that its directories in memory have beside that of its containers.
func (c *component) memory(t *translation) {
	var sum int64
	for _, e := range c.doc.list("traits.storage") {
		if e := e.(doc); e["memory"] == true {
			sum += amount(e, "size", "0", model.ParseMemory)
		}
	}
	if sum == 0 {
		return
	}
	requests := c.doc.sub("resources").sub("requests")
	if asked := amount(requests, "memory", "0", model.ParseMemory); asked <= sum {
		least, _ := model.ParseMemory(defaultMemory)
		requests["memory"] = model.FormatAmount("memory", sum+max(asked, least))
		if limited, _ := c.doc.get("resources.limits.memory").(string); limited != "" {
			if most, err := model.ParseMemory(limited); err != nil || most < sum+max(asked, least) {
				c.doc.set("resources.limits.memory", requests["memory"])
			}
		}
		t.note("%s: requests the memory of its directories in memory, too", c.name)
	}
}

// amount is what a doc says of a resource, or the least.
func amount(d doc, name, least string, parse func(string) (int64, error)) int64 {
	text, _ := d[name].(string)
	if n, err := parse(text); err == nil && n > 0 {
		return n
	}
	n, _ := parse(least)
	return n
}

// trim takes out what is empty, and a minimum of replicas above their number.
func (c *component) trim() {
	if n, ok := c.doc.get("traits.autoscale.max").(int64); ok {
		c.doc["replicas"] = max(c.replicas(), n)
		if c.doc.get("resources.requests.cpu") == nil {
			c.doc.set("resources.requests.cpu", defaultCPU)
		}
	}
	patches := c.doc.list("traits.patches")
	for _, p := range patches {
		p.(doc)["kind"] = cmp.Or(map[any]string{"store": "StatefulSet", "daemon": "DaemonSet"}[c.doc["type"]], "Deployment")
	}
	if patches != nil { // what is patched passes the checks of manifests, which ask for requests
		for name, least := range map[string]string{"cpu": defaultCPU, "memory": defaultMemory} {
			if c.doc.get("resources.requests."+name) == nil {
				c.doc.set("resources.requests."+name, least)
			}
		}
	}
	for _, name := range []string{"resources", "traits"} {
		if d, ok := c.doc[name].(doc); ok && len(d) == 0 {
			delete(c.doc, name)
		}
	}
}

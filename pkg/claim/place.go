package claim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// A finder returns the path of a value of a component, below the application.
type finder func(app *model.Application, component, value string) string

// routePath is the path of the trait, or of the object, that leads requests to a component.
func routePath(app *model.Application, component, object string) string {
	_, name, _ := strings.Cut(object, " ")
	return strings.TrimSuffix(findIn(app, component, name, func(string) bool { return true }), ".0.host")
}

// hostPath is the path of a host.
func hostPath(app *model.Application, component, host string) string {
	return findIn(app, component, host, func(h string) bool { return h == host })
}

// objectPath is the path of an object, given its kind and name.
func objectPath(app *model.Application, component, object string) string {
	_, name, _ := strings.Cut(object, " ")
	return findIn(app, component, name, func(string) bool { return false })
}

// findIn returns the path of a host of the trait, else of the object that has a word.
func findIn(app *model.Application, component, word string, is func(host string) bool) string {
	if component == "" {
		return "components"
	}
	path := "components." + component
	c, ok := app.Component(component)
	if !ok {
		return path
	}
	var traits struct {
		Ingress []struct {
			Host string `json:"host"`
		} `json:"ingress"`
		Gateway struct {
			Hosts []string `json:"hosts"`
		} `json:"gateway"`
	}
	_ = json.Unmarshal(c.Traits, &traits) // what cannot be read has no place of its own
	for i, in := range traits.Ingress {
		if is(in.Host) {
			return fmt.Sprintf("%s.traits.ingress.%d.host", path, i)
		}
	}
	for i, host := range traits.Gateway.Hosts {
		if is(host) {
			return fmt.Sprintf("%s.traits.gateway.hosts.%d", path, i)
		}
	}
	var properties struct {
		Objects []json.RawMessage `json:"objects"`
	}
	_ = json.Unmarshal(c.Properties, &properties)
	quoted, _ := json.Marshal(word)
	for i, o := range properties.Objects {
		if bytes.Contains(o, quoted) {
			return fmt.Sprintf("%s.properties.objects.%d", path, i)
		}
	}
	return path
}

// placesOf returns the place of the value at a path, or of the nearest value above it.
func placesOf(app *model.Application, path string) []model.Place {
	for path != "" {
		if at, ok := app.At[path]; ok {
			return []model.Place{{At: at, Note: app.ID.String()}}
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return nil
}

package offline

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Noun is what a declaration adds to a fleet.
type Noun string

// Nouns.
const (
	NewApplication Noun = "application"
	NewComponent   Noun = "component"
	NewTenant      Noun = "tenant"
	NewStep        Noun = "step"
)

// Declaration is an application, a component, a tenant or a step of a workflow that a fleet does not have yet: its names, and
// values by the paths that what-if has for them. The zero value of a value is what a policy or the schema says.
type Declaration struct {
	Noun   Noun
	App    model.AppID // of a tenant only its name
	Name   string      // of the component or the step
	values []given
	known  map[string]shapes // of layers: it takes a while to make them
}

// given is a value as people write it.
type given struct {
	path []string // below what is declared
	text string
}

// Prefix returns how the paths of what is declared begin.
func (d *Declaration) Prefix() string { return strings.Join(d.prefix(), ".") + "." }

func (d *Declaration) prefix() []string {
	switch d.Noun {
	case NewTenant:
		return []string{"tenant", d.App.Tenant}
	case NewComponent:
		return []string{"application", d.App.String(), "components", d.Name}
	case NewStep:
		return []string{"application", d.App.String(), "workflow", "steps", d.Name}
	}
	return []string{"application", d.App.String()}
}

// Set gives it a value, PATH=VALUE. It takes the place of another one at the path.
func (d *Declaration) Set(setting string) error {
	path, value, err := splitSetting(setting)
	if err != nil {
		return err
	}
	prefix := d.prefix()
	if len(path) <= len(prefix) || !slices.Equal(path[:len(prefix)], prefix) {
		return fmt.Errorf("%s: the new %s has paths that begin with %s", text.Clean(setting), d.Noun, d.Prefix())
	}
	d.set(path[len(prefix):], value)
	return nil
}

func (d *Declaration) set(path []string, value string) {
	d.values = slices.DeleteFunc(slices.Clone(d.values), func(g given) bool { return slices.Equal(g.path, path) })
	d.values = append(d.values, given{path, value})
}

// Settings returns the values in the form in which Set reads them.
func (d *Declaration) Settings() (settings []string) {
	for _, g := range d.values {
		settings = append(settings, d.Prefix()+joinPath(g.path)+"="+g.text)
	}
	return settings
}

// Draft returns the edits of files that declare it.
func (d *Declaration) Draft(files fs.FS) (Draft, error) {
	dir := layer.ApplicationDir(d.App)
	if d.Noun == NewTenant {
		dir = layer.TenantDir(d.App.Tenant)
	}
	there, err := layerFiles(files, dir)
	if err != nil {
		return Draft{}, err
	}
	switch {
	case len(there) > 0 && d.Noun == NewApplication:
		return Draft{}, fmt.Errorf("there is an application %s already; \"reconciler new component %s\" adds to it", d.App, d.App)
	case len(there) > 0 && d.Noun == NewTenant:
		return Draft{}, fmt.Errorf("there is a tenant %s already", d.App.Tenant)
	case len(there) == 0 && (d.Noun == NewComponent || d.Noun == NewStep):
		return Draft{}, fmt.Errorf("there is no application %s; \"reconciler new application %s\" makes one", d.App, d.App)
	}
	edit := func(dir string, op cuefile.Op, value *object, path ...string) DraftEdit {
		return DraftEdit{Dir: dir, Edit: cuefile.Edit{Op: op, Path: path, Value: value}}
	}
	switch d.Noun {
	case NewTenant:
		return d.tenant(files, edit)
	case NewComponent:
		if saysAny(there, "application", "components", d.Name) {
			return Draft{}, fmt.Errorf("%s has a component %s already", d.App, d.Name)
		}
		value, err := d.value(&object{}, "application", d.prefix()[2:]...)
		return Draft{Edits: []DraftEdit{edit(dir, cuefile.Set, value, "application", "components", d.Name)}}, err
	case NewStep:
		value, err := d.value(named(d.Name), "application", "workflow", "steps", "0")
		return Draft{Edits: []DraftEdit{edit(dir, cuefile.Add, value, "application", "workflow", "steps")}}, err
	}
	value, err := d.value(named(d.App.Name), "application")
	return Draft{Edits: []DraftEdit{edit(dir, cuefile.Set, value, "application")}}, err
}

// tenant returns the edits that declare a tenant, and what the platform gives it.
func (d *Declaration) tenant(files fs.FS, edit func(dir string, op cuefile.Op, value *object, path ...string) DraftEdit) (Draft, error) {
	if d.known == nil {
		d.known = map[string]shapes{}
	}
	own, allotment := &Declaration{Noun: NewTenant, App: d.App, known: d.known}, &Declaration{Noun: NewTenant, App: d.App, known: d.known}
	for _, g := range d.values {
		switch {
		case slices.Contains([]string{"policy", "access", "reservations", "releases"}, g.path[0]):
			own.set(g.path, g.text)
		case slices.Equal(g.path, []string{"quota", "priorityCeiling"}): // as what-if has it
			allotment.set(g.path[1:], g.text)
		default:
			allotment.set(g.path, g.text)
		}
	}
	tenant, err := own.value(named(d.App.Tenant), "tenant")
	if err != nil {
		return Draft{}, err
	}
	draft := Draft{Edits: []DraftEdit{edit(layer.TenantDir(d.App.Tenant), cuefile.Set, tenant, "tenant")}}
	platform, err := layerFiles(files, ".")
	if err != nil {
		return Draft{}, err
	}
	if saysAny(platform, "platform", "allotments", d.App.Tenant) {
		if len(allotment.values) > 0 {
			return Draft{}, fmt.Errorf("the platform has an allotment of %s already; leave out what is written there: %s", d.App.Tenant, strings.Join(allotment.Settings(), " "))
		}
		return draft, nil
	}
	given, err := allotment.value(&object{}, "platform", "allotments", d.App.Tenant)
	draft.Edits = append(draft.Edits, edit(".", cuefile.Set, given, "platform", "allotments", d.App.Tenant))
	return draft, err
}

// value puts the values into an object that stands at a path of a layer.
func (d *Declaration) value(into *object, layer string, at ...string) (*object, error) {
	shapes, err := d.shapesOf(layer)
	if err != nil {
		return nil, err
	}
	types := map[string]string{} // of components and steps, by their path
	for _, g := range d.values {
		if n := len(g.path) - 1; g.path[n] == "type" {
			types[joinPath(slices.Concat(at, g.path[:n]))] = g.text
		}
	}
	for _, g := range d.values {
		if err := into.put(g.path, shapes.typed(slices.Concat(at, g.path), types, g.text)); err != nil {
			return nil, fmt.Errorf("%s%s: %w", d.Prefix(), joinPath(g.path), err)
		}
	}
	return into, nil
}

func (d *Declaration) shapesOf(layer string) (s shapes, err error) {
	s, ok := d.known[layer]
	if ok {
		return s, nil
	}
	if s, err = shapesOf(layer); err != nil {
		return s, err
	}
	if d.known == nil {
		d.known = map[string]shapes{}
	}
	d.known[layer] = s
	return s, nil
}

// saysAny reports whether files say something about a path.
func saysAny(files []cuefile.File, path ...string) bool {
	for _, f := range files {
		places, err := cuefile.Index(f)
		if err == nil && slices.ContainsFunc(places, func(p cuefile.Place) bool { return slices.Equal(p.Path, path) }) {
			return true
		}
	}
	return false
}

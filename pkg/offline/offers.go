package offline

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Offers are what a new declaration can refer to in a fleet.
type Offers struct {
	Commit         string // whose files offer them
	Fleet          model.Fleet
	ComponentTypes []OfferedType
	StepTypes      []OfferedType
	Traits         []OfferedType
}

// OfferedType is a type of component or of step, or a trait.
type OfferedType struct {
	Name    string
	About   string       // in words
	Types   []string     // of a trait: of components that can have it
	Defined bool         // by the platform or the tenant, else by the schema
	Example []ExampleOne // of a defined type: its parameters
}

// ExampleOne is a parameter in the example of a definition.
type ExampleOne struct {
	Path  string // below the properties, as Set reads it
	Value string
}

// Offers returns what the base offers to a tenant; without one, what it offers to everybody.
func (b *Base) Offers(tenant string) (Offers, error) {
	o := Offers{Commit: b.was.commit, Fleet: b.was.side.fleet}
	s, err := shapesOf("application")
	if err != nil {
		return o, err
	}
	o.Traits = s.traits()
	for _, of := range []struct {
		def, field string
		types      *[]OfferedType
	}{{"Component", "components", &o.ComponentTypes}, {"Step", "steps", &o.StepTypes}, {"Trait", "traits", &o.Traits}} {
		for _, name := range s.builtIn(of.def) {
			*of.types = append(*of.types, OfferedType{Name: name, About: s.about(of.def, name)})
		}
		for _, by := range definers(tenant) {
			defined, err := definedTypes(b.was.files, by.dir, by.layer, of.field)
			if err != nil {
				return o, err
			}
			*of.types = append(*of.types, defined...)
		}
	}
	var all []string // that can have traits: those of definitions are checked where they are used
	for _, t := range o.ComponentTypes {
		if slices.ContainsFunc(o.Traits, func(trait OfferedType) bool { return slices.Contains(trait.Types, t.Name) }) {
			all = append(all, t.Name)
		}
	}
	for i := range o.Traits {
		if o.Traits[i].Defined {
			o.Traits[i].Types = all
		}
	}
	return o, nil
}

// Files returns the files of the base.
func (b *Base) Files() fs.FS { return b.was.files }

// Says reports whether the layer in a directory says something about a path.
func (b *Base) Says(dir string, path ...string) bool {
	files, err := layerFiles(b.was.files, dir)
	return err == nil && saysAny(files, path...)
}

// definedTypes returns the types that the layer in a directory defines, as its files have them.
func definedTypes(files fs.FS, dir, layer, field string) (types []OfferedType, err error) {
	written, err := layerFiles(files, dir)
	if err != nil {
		return nil, err
	}
	for _, f := range written {
		places, err := cuefile.Index(f)
		if err != nil {
			continue // a problem of the fleet, which is no reason to offer nothing
		}
		for _, p := range places {
			if len(p.Path) < 4 || !slices.Equal(p.Path[:3], []string{layer, "definitions", field}) {
				continue
			}
			i := slices.IndexFunc(types, func(t OfferedType) bool { return t.Name == p.Path[3] })
			if i < 0 {
				i, types = len(types), append(types, OfferedType{Name: p.Path[3], Defined: true})
			}
			if len(p.Path) == 4 {
				types[i].About = text.Line(cmp.Or(types[i].About, p.Comment()), text.MaxClean)
			}
			if len(p.Path) > 5 && p.Path[4] == "example" && p.Kind == cuefile.Literal {
				value := string(f.Data[p.Start:p.End])
				types[i].Example = append(types[i].Example, ExampleOne{joinPath(p.Path[5:]), strings.Trim(value, `"`)})
			}
		}
	}
	return types, nil
}

// Declared returns all applications and tenants, sorted, the refused ones as well.
func (o *Offers) Declared() (apps []model.AppID, tenants []string) { return declaredIn(&o.Fleet) }

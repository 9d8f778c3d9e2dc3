package trait

import (
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// A Trait adds a capability to a component: it gives a patch for what carries the component.
type Trait struct {
	Name   string
	Needs  []string // traits whose patches it looks at, if the component has them: they come first
	Kinds  []string // of workloads that can have it, nil: all
	Stable bool     // a newer version beside the stable one does without

	// Machines is set of what says where a virtual machine runs and how others reach it. Its other traits are about containers.
	Machines bool

	// Process returns what a declaration comes to. It only reads the context.
	Process func(Context, json.RawMessage) (Patch, error)

	// Schema is what owners may write, in CUE: the file <Name>.cue of this package.
	Schema string
}

//go:embed *.cue
var fragments embed.FS

// registered are the traits of the files of this package, which add themselves, so that a
// further trait changes no other file.
var registered = map[string]Trait{}

func register(t Trait) struct{} {
	fragment, err := fragments.ReadFile(strings.ToLower(t.Name) + ".cue")
	if err != nil {
		panic("trait " + t.Name + ": " + err.Error())
	}
	t.Schema = string(fragment)
	registered[t.Name] = t
	return struct{}{}
}

// ordered are all traits in the order in which they are processed.
var ordered []Trait

func init() { ordered = inOrder(registered) }

// All returns all traits in the order in which they are processed.
func All() []Trait { return slices.Clone(ordered) }

// OfMachines returns the names of the traits that virtual machines can have, sorted.
func OfMachines() (names []string) {
	for name, t := range registered {
		if t.Machines {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// inOrder returns traits in an order in which each comes after those that it needs, else in
// that of their names. It panics if there is none.
func inOrder(traits map[string]Trait) []Trait {
	names, done := slices.Sorted(maps.Keys(traits)), []string(nil)
	var all []Trait
	for len(names) > 0 {
		next := slices.IndexFunc(names, func(name string) bool {
			return !slices.ContainsFunc(traits[name].Needs, func(need string) bool { return !slices.Contains(done, need) })
		})
		if next < 0 {
			panic("traits that wait for each other, or for one that does not exist: " + strings.Join(names, ", "))
		}
		all, done = append(all, traits[names[next]]), append(done, names[next])
		names = slices.Delete(names, next, next+1)
	}
	return all
}

// reading makes a function that reads the declaration of a trait and processes it.
func reading[T any](name string, process func(Context, T) (Patch, error)) func(Context, json.RawMessage) (Patch, error) {
	return func(c Context, raw json.RawMessage) (Patch, error) {
		var v T
		if err := declared.Read(raw, &v); err != nil {
			return Patch{}, declared.Faultf(declared.CodeUnreadable, "traits."+name, "%v", err)
		}
		return process(c, v)
	}
}

// Process returns what all traits of a component come to.
func Process(c Context) (Patch, error) { return process(ordered, c) }

func process(traits []Trait, c Context) (Patch, error) {
	var all map[string]json.RawMessage
	if err := declared.Read(c.Component.Traits, &all); err != nil {
		return Patch{}, declared.Faultf(declared.CodeUnreadable, "traits", "%v", err)
	}
	known, m := 0, merged{owners: map[string]string{}}
	for _, t := range traits {
		raw, ok := all[t.Name]
		if !ok {
			continue
		}
		known++
		if t.Kinds != nil && !slices.Contains(t.Kinds, c.Kind) {
			return Patch{}, declared.Faultf(declared.CodeConflict, "traits."+t.Name, "is not for a %s", c.Component.Type)
		}
		if t.Stable && c.Newer {
			continue
		}
		c.Given = m.patch
		patch, err := t.Process(c, raw)
		if err != nil {
			return Patch{}, err
		}
		if err := m.add(t.Name, patch); err != nil {
			return Patch{}, err
		}
	}
	if known < len(all) {
		return Patch{}, declared.Faultf(declared.CodeUnreadable, "traits", "has a trait that is not known")
	}
	for _, v := range m.patch.Main.Env {
		if _, twice := c.Env[v.Name]; twice {
			return Patch{}, declared.Faultf(declared.CodeConflict, "properties.env."+v.Name, "is given by trait %s, too", m.owners[called(v)])
		}
	}
	return m.patch, nil
}

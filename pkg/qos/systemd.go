package qos

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Unit selects the group of a unit of systemd by its name.
type Unit string

// unit is the name of a unit of systemd that has a cgroup.
var unit = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9_.@:\\]{0,200}\.(service|slice|scope)$`)

// Field is that of units.
func (Unit) Field() string { return "unit" }

// Check returns an error for what has no cgroup, and for the unit of init.
func (u Unit) Check() error {
	switch {
	case !unit.MatchString(string(u)):
		return fmt.Errorf("unit %.64q: want the name of a service, slice or scope", u)
	case u == "init.scope":
		return fmt.Errorf("unit %q belongs to the host's init", u)
	}
	return nil
}

// Selects reports whether a group is that of the unit.
func (u Unit) Selects(g Member) bool { return g.Name == string(u) }

// Missing says that the unit has no group.
func (u Unit) Missing() string { return "no group of unit " + string(u) }

// systemd is the environment of units.
type systemd struct{}

func (systemd) Field() string { return Unit("").Field() }

func (systemd) Read(n *yaml.Node) (Selector, error) {
	var u Unit
	err := n.Decode(&u)
	return u, err
}

// Members looks for units in slices only: below those of services and containers others make
// groups, and choose their names.
func (systemd) Members(look Look) (all []Member, err error) {
	groups := look.Host.Below("", 8, func(name string) bool {
		return strings.HasSuffix(name, ".slice") && !strings.HasSuffix(name, "kubepods.slice")
	})
	wanted := map[string]bool{}
	for _, s := range look.Wanted {
		wanted[string(s.(Unit))] = true
	}
	slices.Sort(groups)
	for _, group := range groups {
		if name := path.Base(group); wanted[name] {
			wanted[name] = false // the first of its name
			all = append(all, Member{Name: name, Cgroup: group})
		}
	}
	return all, nil
}

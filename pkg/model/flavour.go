package model

import (
	"slices"
	"strings"
)

// Flavour is one of several places that a component may run in.
type Flavour struct {
	Pool     string    `json:"pool"`
	Requests Resources `json:"requests,omitzero"` // of one replica there; what is left out is as the component requests it
}

// FlavourOrder is how arbitration chooses among the flavours of an application.
type FlavourOrder string

const (
	FlavoursFirstFree     FlavourOrder = "first-free"      // others give way where none of them is free
	FlavoursMakeRoomFirst FlavourOrder = "make-room-first" // others give way for a flavour before the next one is looked at
)

// In returns the component as it runs in its flavour number n, or in its last one if it has fewer. A component
// without flavours runs as it is.
func (c *Component) In(n int) *Component {
	last := len(c.Placement.Flavours) - 1
	if last < 0 {
		return c
	}
	f, in := &c.Placement.Flavours[min(n, last)], *c
	in.Placement.Pool, in.Requests = f.Pool, f.Requests.Or(c.Requests)
	if in.Requests.Devices == nil {
		in.Requests.Devices = c.Requests.Devices
	}
	return &in
}

// RequestsElsewhere reports whether the component requests something else in one of its flavours.
func (c *Component) RequestsElsewhere() bool {
	return slices.ContainsFunc(c.Placement.Flavours, func(f Flavour) bool { return !f.Requests.IsZero() })
}

// Placed returns the component as it runs: in the flavour in whose pool it holds a grant, else in number n.
func (c *Component) Placed(holds []Grant, n int) *Component {
	if held, ok := c.heldFlavour(holds); ok {
		n = held
	}
	return c.In(n)
}

// heldFlavour is the flavour of a component in whose pool it holds a grant.
func (c *Component) heldFlavour(holds []Grant) (n int, ok bool) {
	if len(c.Placement.Flavours) == 0 {
		return 0, false
	}
	if g, granted := Find(holds, c.Name); granted {
		n = slices.IndexFunc(c.Placement.Flavours, func(f Flavour) bool { return f.Pool == g.Pool })
		return n, n >= 0
	}
	return 0, false
}

// OpenFlavours is in how many flavours an application is to be tried that holds these grants: one if it has none, or
// stays in those that it holds.
func (a *Application) OpenFlavours(holds []Grant) int {
	open := 1
	for i := range a.Components {
		c := &a.Components[i]
		if _, held := c.heldFlavour(holds); !held {
			open = max(open, len(c.Placement.Flavours))
		}
	}
	return open
}

// Flavours is the largest number of flavours that a component has, 0 if none has any.
func (a *Application) Flavours() (n int) {
	for i := range a.Components {
		n = max(n, len(a.Components[i].Placement.Flavours))
	}
	return n
}

// FlavourPools names the pools of flavour number n of the components that have flavours: "a100", "a100 and spot".
func (a *Application) FlavourPools(n int) string {
	var pools []string
	for i := range a.Components {
		if c := &a.Components[i]; len(c.Placement.Flavours) > 0 {
			pools = append(pools, c.In(n).Placement.Pool)
		}
	}
	slices.Sort(pools)
	return strings.Join(slices.Compact(pools), " and ")
}

// flavourList writes flavours in one line: "h100, a100 (2 nvidia.com/gpu)".
func flavourList(flavours []Flavour) string {
	var list []string
	for _, f := range flavours {
		if list = append(list, f.Pool); !f.Requests.IsZero() {
			list[len(list)-1] += " (" + f.Requests.String() + ")"
		}
	}
	return strings.Join(list, ", ")
}

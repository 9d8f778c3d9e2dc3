package model

// Together asks for all replicas in one topology domain, together with those of the application's other components that ask
// for it.
type Together struct {
	Over string       `json:"over"` // zone, rack: what a domain of the pool is called
	Mode TogetherMode `json:"mode"`
}

// TogetherMode says what happens where no domain has room for all.
type TogetherMode string

const (
	TogetherRequired  TogetherMode = "required"  // it waits
	TogetherPreferred TogetherMode = "preferred" // it runs in several
)

// Gathers reports whether the component stands in one domain together with others.
func (c *Component) Gathers() bool { return c.Placement.Together != nil && c.Runs() }

// AsPlaced returns what of a grant tells a runtime to place the pods of a component. Room for another version does not, and
// no hint where to spread them: no reason to restart what runs.
func (g Grant) AsPlaced(c *Component) Grant {
	if g.Surge = 0; !c.Gathers() {
		g.Domains = nil
	}
	return g
}

package model

import (
	"slices"
	"time"
)

// Shown is what the runtimes showed of an instance when its record was saved.
type Shown struct {
	At         time.Time        `json:"at"`           // of the save
	Due        time.Time        `json:"due,omitzero"` // when something follows if it stays so
	Components []ShownComponent `json:"components,omitempty"`
}

// CountsEvery is how often a record is saved at most in which nothing but counts
// changed.
const CountsEvery = time.Minute

// ShownComponent is what the runtimes showed of a component: how much they were told to
// run, which an autoscaler may set below the grant, and how much of it is ready.
type ShownComponent struct {
	Component string   `json:"component"`
	Beside    bool     `json:"beside,omitempty"` // the newer of two versions
	Told      int      `json:"told"`
	Ready     int      `json:"ready"`
	Images    []string `json:"images,omitempty"` // as the pods report them, with their digests; sorted
	Says      string   `json:"says,omitempty"`   // what its definition says of it, in a line

	// Unready is since when less of it is ready than told, after all of it was. Held is
	// how much was ready then. Moves says that the runtime itself brings more or newer
	// replicas, which may take as long as a start.
	Unready time.Time `json:"unready,omitzero"`
	Held    int       `json:"held,omitempty"`
	Moves   bool      `json:"moves,omitempty"`
	Why     string    `json:"why,omitempty"` // it is not ready, where the runtime knows
}

// InStages reports whether a step of a workflow runs a version in stages just now. What
// is shown of a stage that goes well is saved with what follows from the stage.
func (i *Instance) InStages() bool {
	return i.Run != nil && !i.Run.Phase.Ended() && slices.ContainsFunc(i.Run.Steps, func(s StepRun) bool {
		return s.Phase == StepActive && !s.Staged.IsZero() && !s.Until.IsZero() // the last version alone has no end
	})
}

// Equal reports whether two components were shown the same in every field.
func (s *ShownComponent) Equal(o *ShownComponent) bool {
	return s.Told == o.Told && s.Ready == o.Ready && s.Component == o.Component && s.Beside == o.Beside && s.Unready.Equal(o.Unready) &&
		s.Held == o.Held && s.Moves == o.Moves && s.Why == o.Why && s.Says == o.Says && slices.Equal(s.Images, o.Images)
}

// Of returns what was shown of the stable version of a component, nil if nothing was.
func (s *Shown) Of(component string) *ShownComponent {
	if s != nil {
		for i := range s.Components {
			if c := &s.Components[i]; c.Component == component && !c.Beside {
				return c
			}
		}
	}
	return nil
}

// Shows reports whether a record says what was shown, whenever that was.
func (s *Shown) Shows(o *Shown) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.Due.Equal(o.Due) && slices.EqualFunc(s.Components, o.Components, func(x, y ShownComponent) bool { return x.Equal(&y) })
}

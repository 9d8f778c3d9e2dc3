package model

import "slices"

// Specs returns the accepted spec of an instance and the one before it, as far as there are any.
func (i *Instance) Specs() []*Application {
	return slices.DeleteFunc([]*Application{i.Spec, i.Previous}, func(s *Application) bool { return s == nil })
}

package model

import "sort"

// keyed is a pointer to an element of a list that has a key.
type keyed[T any, K comparable] interface {
	*T
	key() K
}

// Find returns the element of a list that has a key, for example the component or the
// grant of a name. The pointer leads into the list. It looks at every element, so the
// list may be in any order; lists of all applications have faster ways, such as
// Ledger.Find.
func Find[T any, K comparable, P keyed[T, K]](list []T, key K) (*T, bool) {
	for i := range list {
		if P(&list[i]).key() == key {
			return &list[i], true
		}
	}
	return nil, false
}

// findSorted finds an element of a list that is sorted by application.
func findSorted[T any, P keyed[T, AppID]](list []T, app AppID) (*T, bool) {
	i, ok := sort.Find(len(list), func(i int) int { return app.Compare(P(&list[i]).key()) })
	if !ok {
		return nil, false
	}
	return &list[i], true
}

// Get returns the element of a list that has a key, the zero value if there is none.
func Get[T any, K comparable, P keyed[T, K]](list []T, key K) (element T) {
	if found, ok := Find[T, K, P](list, key); ok {
		return *found
	}
	return element
}

// Names returns the names by which the elements of a list are found, in its order.
func Names[T any, P keyed[T, string]](list []T) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = P(&list[i]).key()
	}
	return names
}

// The keys by which the elements of lists are found.

func (b *Band) key() string           { return b.Name }
func (c *Component) key() string      { return c.Name }
func (s *ComponentState) key() string { return s.Grant.Component }
func (d *DamagedRecord) key() AppID   { return d.App }
func (d *Decision) key() AppID        { return d.App }
func (g *Grant) key() string          { return g.Component }
func (g *Group) key() string          { return g.Name }
func (i *Instance) key() AppID        { return i.App }
func (m *Memo) key() string           { return m.Step }
func (p *Pool) key() string           { return p.Name }
func (p *PoolSpec) key() string       { return p.Name }
func (v *PolicyValue) key() string    { return v.Path }
func (p *Principal) key() string      { return p.Name }
func (r *Reservation) key() string    { return r.Name }
func (s *Step) key() string           { return s.Name }
func (s *StepRun) key() string        { return s.Name }
func (t *Target) key() string         { return t.Component }
func (t *Tenant) key() string         { return t.Name }
func (u *Unusable) key() AppID        { return u.App }
func (v *Value) key() string          { return v.Name }

package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// Occupancy is what the applications of a tenant have in a runtime.
type Occupancy struct {
	Apps []AppID   // whose objects are to exist
	Room Resources // that their pods need at most

	Limits Resources // the largest of their components

	Reads []Reads // of components that want to read what is outside their namespace, by application and name
}

// Reads is what the pods of a component want to read of the whole cluster.
type Reads struct {
	App       AppID
	Component string
	Pool      string // that it is granted, or asks for; "": it has none
	Of        []Right
}

// Right is what pods may do with some kinds of objects on the API server.
type Right struct {
	Verbs     []string `json:"verbs"` // read is get, list and watch
	Resources []string `json:"resources"`
	Group     string   `json:"group"`
	Names     []string `json:"names"`   // of the only objects
	Cluster   bool     `json:"cluster"` // in the whole cluster, not in the namespace
}

// Reads returns what components of an instance want to read of the whole cluster, during an update both versions
// of one.
func (i *Instance) Reads() (all []Reads) {
	for _, spec := range i.Specs() {
		for _, c := range spec.Components {
			if !bytes.Contains(c.Traits, []byte(`"cluster"`)) {
				continue
			}
			var traits struct{ Rights []Right }
			_ = json.Unmarshal(c.Traits, &traits) // what cannot be read is refused where it is rendered
			of := slices.DeleteFunc(traits.Rights, func(r Right) bool { return !r.Cluster })
			switch n := slices.IndexFunc(all, func(r Reads) bool { return r.Component == c.Name }); {
			case len(of) == 0:
			case n < 0:
				state, _ := i.Component(c.Name)
				pool := c.Placement.Pool
				if state != nil {
					pool = cmp.Or(state.Grant.Pool, pool)
				}
				all = append(all, Reads{i.App, c.Name, pool, of})
			default:
				all[n].Of = append(all[n].Of, of...)
			}
		}
	}
	return all
}

// Ceiling is the most that what runs of a tenant may request, nil without a quota: its quota,
// or the room of what it was granted where that is more. So what dies comes back, also where
// the quota was lowered below use.
func (t *Tenant) Ceiling(room Resources) *Resources {
	if t.Quota == nil {
		return nil
	}
	most := *t.Quota
	for _, name := range most.Names() {
		if n := most.Get(name); n > 0 {
			most = most.With(name, max(n, room.Get(name)))
		}
	}
	return &most
}

// MaxLimits returns the largest limits of the components of an instance.
func (i *Instance) MaxLimits() (most Resources) {
	for _, spec := range i.Specs() {
		for k := range spec.Components {
			most = most.Max(spec.Components[k].Limits)
		}
	}
	return most
}

// Room is what the pods of an instance need at most: what is granted, the one pod more
// of a rolling update, jobs that have not ended, and during an update the larger of both
// versions. A pod that dies has its place in it.
func (i *Instance) Room() (sum Resources) {
	for k := range i.Components {
		s := &i.Components[k]
		if s.Finished() {
			continue
		}
		room := s.Grant.room(i.rolls(s.Grant.Component))
		if before, ok := Find(i.PreviousGrants, s.Grant.Component); ok {
			room = room.Max(before.room(true))
		}
		sum = sum.Add(room)
	}
	for k := range i.PreviousGrants {
		if _, ok := i.Component(i.PreviousGrants[k].Component); !ok {
			sum = sum.Add(i.PreviousGrants[k].room(false))
		}
	}
	return sum
}

// room is what the pods of a grant need.
func (g *Grant) room(rolls bool) Resources {
	pods := g.Replicas + g.Surge
	if rolls && pods > 0 {
		pods++
	}
	return g.Requests.Times(pods)
}

// rolls reports whether a component is updated with one pod more than it is granted.
func (i *Instance) rolls(component string) bool {
	if i.Spec == nil {
		return false
	}
	c, ok := i.Spec.Component(component)
	return ok && (c.Type == "webservice" || c.Type == "worker")
}

// Started returns the instance as it is once everything granted runs in the version of its
// spec.
func (i *Instance) Started() *Instance {
	all := *i
	all.Previous = nil
	all.Components = slices.Clone(i.Components)
	for n := range all.Components {
		s := &all.Components[n]
		s.Hold, s.Run, s.Spec, s.Workload, s.Beside = false, s.Grant.Replicas, "", "", nil
	}
	return &all
}

// Specs are the accepted spec and the last one that ran well, as far as there are any.
func (i *Instance) Specs() []*Application {
	return slices.DeleteFunc([]*Application{i.Spec, i.Previous}, func(a *Application) bool { return a == nil })
}

// Released returns the spec of a release, nil if the record does not hold it.
func (i *Instance) Released(release Digest) *Application {
	for _, spec := range i.Specs() {
		if spec.Release == release {
			return spec
		}
	}
	return nil
}

// Grants are what the ledger grants the components.
func (i *Instance) Grants() []Grant {
	grants := make([]Grant, len(i.Components))
	for k := range grants {
		grants[k] = i.Components[k].Grant
	}
	return grants
}

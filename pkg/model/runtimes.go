package model

import (
	"slices"
	"time"
)

// Runtimes are how long the last runs of a job took that ended well, of one shape: other resources or another number of
// replicas may take another time.
type Runtimes struct {
	Component string `json:"component"`
	Shape     Digest `json:"shape"`
	Took      []int  `json:"took"` // seconds, the latest last
}

// What is learned of run times, and from how many runs on it is believed.
const (
	RuntimeLimit  = 20 // runs of a shape
	RuntimeShapes = 3  // shapes of a component
	RuntimeLeast  = 3  // runs

	mostRuntime = 10 * 365 * 24 * 3600 // in seconds: what takes longer is no run of a job
)

// Usable reports whether a record is as it was written, and not by hand.
func (r *Runtimes) Usable() bool {
	return len(r.Took) <= RuntimeLimit && !slices.ContainsFunc(r.Took, func(n int) bool { return n <= 0 || n > mostRuntime })
}

// Estimate is how long nine of ten runs took at most, 0: there are too few.
func (r *Runtimes) Estimate() time.Duration {
	if n := len(r.Took); n >= RuntimeLeast && r.Usable() {
		return time.Duration(slices.Sorted(slices.Values(r.Took))[(9*n+9)/10-1]) * time.Second
	}
	return 0
}

// Shape identifies what the run time of a job is taken to depend on. What the job runs is no part of it: a job
// runs again when that has changed.
func (c *Component) Shape() Digest {
	return DigestOf(struct {
		Type, Runtime    string
		Requests, Limits Resources
		Replicas         int
	}{c.Type, c.Runtime, c.Requests, c.Limits, c.Replicas})
}

// RuntimesOf returns what is recorded of the present shape of a component.
func (i *Instance) RuntimesOf(c *Component) (*Runtimes, bool) {
	var shape Digest
	for n := range i.Runtimes {
		r := &i.Runtimes[n]
		if r.Component != c.Name {
			continue
		}
		if shape == "" {
			shape = c.Shape()
		}
		if r.Shape == shape {
			return r, true
		}
	}
	return nil, false
}

// NoteRuntime records how long a run of a job took that ended well. What was edited by hand is learned anew. The
// records of other components stay as long as these are declared.
func (i *Instance) NoteRuntime(c *Component, took time.Duration) {
	now := Runtimes{Component: c.Name, Shape: c.Shape()}
	if was, ok := i.RuntimesOf(c); ok && was.Usable() {
		now.Took = slices.Clone(was.Took)
	}
	now.Took = append(now.Took, max(1, int((took+time.Second-1)/time.Second)))
	now.Took = now.Took[max(0, len(now.Took)-RuntimeLimit):]
	list, shapes := []Runtimes{now}, 1
	for _, r := range slices.Backward(i.Runtimes) { // the latest of a component last
		_, declared := i.Spec.Component(r.Component)
		if own := r.Component == c.Name; own && r.Shape != now.Shape {
			shapes++
			declared = shapes <= RuntimeShapes
		} else if own {
			continue
		}
		if declared {
			list = append(list, r)
		}
	}
	slices.Reverse(list)
	i.Runtimes = list
}

// SameRuntimes reports whether two records of an instance have the same run times.
func (i *Instance) SameRuntimes(o *Instance) bool {
	return slices.EqualFunc(i.Runtimes, o.Runtimes, func(r, s Runtimes) bool {
		return r.Component == s.Component && r.Shape == s.Shape && slices.Equal(r.Took, s.Took)
	})
}

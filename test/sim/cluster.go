package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
)

// cluster is what really runs. It outlives every process.
type cluster struct {
	now         func() time.Time
	nodes       [4]node
	foreign     int // cores that pods outside of the fleet take
	objects     map[apply.Ref]*object
	inventories map[model.AppID][]apply.Ref
	ledgers     map[model.AppID]string // ids that these were written for
	volumes     map[string]bool        // every claim that there is
	stores      map[part]string        // the object whose claims a component has
	behaviour   map[part]string
	edits       int
	anchor      *model.Anchor // what it remembers of the ledger
}

// part is a component of an application.
type part struct {
	app       model.AppID
	component string
}

// running is what runs of a component: one of two versions, or the job of a step.
type running struct {
	part
	beside bool
	intent string
}

type node struct {
	cores int
	ready bool
}

// slots is how many replicas the nodes take.
func (c *cluster) slots() int {
	n := -c.foreign
	for _, node := range c.nodes {
		if node.ready {
			n += node.cores
		}
	}
	return max(0, n)
}

// object is one object as the cluster holds it.
type object struct {
	ref  apply.Ref
	key  string // of ref, to sort by
	part part
	told told

	since    time.Time // when it was told something new
	edited   int       // which edit of somebody else it shows, 0: none
	leaving  time.Time // when it will be gone; zero: it stays
	ready    int       // replicas
	current  bool      // it is what it was told to be
	done     bool      // a job that ended well
	lost     bool      // a job that failed for good
	unplaced int       // replicas that no node takes
}

// told is what an object was told to be, by the last write.
type told struct {
	applied  string // digest of all of it
	instance string // whose it is
	workload string // digest of what it is part of, and of how many objects
	replicas int    // how many it is to run
	scales   bool
	job      bool
	beside   bool   // it is of the newer of two versions
	intent   string // key of the step whose job it is
	lock     string // that this step holds
	remains  model.Remnant
	keep     bool     // it outlives its declaration
	claims   []string // names of its volumes, of one replica each
}

func newCluster(now func() time.Time) *cluster {
	c := &cluster{
		now: now, objects: map[apply.Ref]*object{}, inventories: map[model.AppID][]apply.Ref{}, ledgers: map[model.AppID]string{},
		volumes: map[string]bool{}, stores: map[part]string{}, behaviour: map[part]string{},
	}
	for i := range c.nodes {
		c.nodes[i] = node{4, true}
	}
	return c
}

// permanent reports whether an object was told to outlive its declaration. Unlike a
// real cluster this one asks nobody twice: what does not say so is deleted, data and
// all.
func (o *object) permanent() bool { return o.told.keep }

// prunable reports whether an object goes when nobody wants it any more.
func (o *object) prunable() bool {
	return o.part.app.Name != "" && !o.permanent() && o.leaving.IsZero()
}

// write makes an object what it is told to be.
func (c *cluster) write(ref apply.Ref, p part, t told) *object {
	o := c.objects[ref]
	if o == nil {
		o = &object{ref: ref, key: ref.String(), part: p, since: c.now()}
		c.objects[ref] = o
	}
	if o.told.workload != t.workload || o.told.replicas != t.replicas {
		o.since, o.current = c.now(), false
	}
	o.part, o.told, o.edited = p, t, 0
	c.progress()
	return o
}

// grace is how long what runs takes to end.
const grace = 5 * time.Second

// remove deletes an object, which takes a while if it runs.
func (c *cluster) remove(o *object) {
	if o.told.scales && o.ready > 0 {
		o.leaving = c.now().Add(grace)
		return
	}
	c.gone(o)
}

func (c *cluster) gone(o *object) {
	delete(c.objects, o.ref)
	if c.volumes[o.key] {
		panic(&Violation{Rule: "no volume is lost", Detail: o.key + " is deleted"})
	}
}

// behaviours are what the programs of a component may do, by how long they take to
// be ready.
var behaviours = map[string]time.Duration{
	"well":  3 * time.Second,
	"slow":  startDeadline + time.Minute, // never in time
	"crash": 0,
	"fail":  0, // for good, if it is a job

	"unready": startDeadline + time.Minute, // it runs, and says that it is not ready
}

// progress lets everything go on by itself, as far as it is by now.
func (c *cluster) progress() {
	now := c.now()
	all := slices.SortedFunc(maps.Values(c.objects), func(x, y *object) int {
		return cmp.Or(x.since.Compare(y.since), cmp.Compare(x.key, y.key))
	})
	slots := c.slots()
	for _, o := range all {
		if !o.leaving.IsZero() && !now.Before(o.leaving) {
			c.gone(o)
			continue
		}
		if !o.told.scales {
			o.current = true
			if o.ref.Kind == "PersistentVolumeClaim" {
				c.volumes[o.key] = true
			}
			continue
		}
		if o.done || o.lost {
			continue
		}
		placed := min(o.told.replicas, slots)
		slots -= placed
		o.unplaced = o.told.replicas - placed
		how := cmp.Or(c.behaviour[o.part], "well")
		arrived := !now.Before(o.since.Add(behaviours[how]))
		switch {
		case how == "crash", how == "fail" && !o.told.job:
			o.ready, o.current = 0, false
		case how == "unready" && !o.told.job:
			o.ready, o.current = 0, false
		case how == "fail" && placed > 0:
			o.lost, o.current = true, false
		case o.told.job && arrived && placed > 0:
			o.done, o.current = true, true
		case o.told.job:
			o.current = true
		case arrived:
			o.ready, o.current = placed, placed == o.told.replicas
		default: // what ran before goes on
			o.ready = min(o.ready, placed)
		}
		if had := c.stores[o.part]; len(o.told.claims) > 0 && had != o.key {
			if c.stores[o.part] = o.key; had != "" {
				panic(&Violation{Rule: "no volume is lost", Detail: o.key + " does not find the data of " + had})
			}
		}
		for _, claim := range o.told.claims {
			for i := range placed {
				c.volumes[fmt.Sprintf("%s/%s-%d", o.key, claim, i)] = true
			}
		}
	}
}

// crashes is how long it takes a program that crashes to crash again.
const crashes = 20 * time.Second

// failure is what the cluster tells about an object that does not get up.
func (o *object) failure(how string, now time.Time) *model.Failure {
	switch {
	case o.lost:
		return &model.Failure{Class: "application", Reason: "JobFailed", Final: true}
	case o.unplaced > 0:
		return &model.Failure{Class: "infrastructure", Reason: "Unschedulable"}
	case how == "crash", how == "fail":
		return &model.Failure{Class: "runtime", Reason: "ContainerCrash", ExitCode: 1, Restarts: int(now.Sub(o.since) / crashes)}
	}
	return nil
}

package claim

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// A Register has the names that the applications of a fleet want, and those of the specs
// that the ledger has. It is made once for a commit.
type Register struct {
	allotments *Allotments
	specs      map[model.Digest]*Names
	fleet      []*Names                 // by application
	first      map[uint64]int32         // who of the fleet wants a name of that sum
	more       map[uint64][]int32       // who else does
	wild       map[string]bool          // the hosts with a wildcard
	disputing  map[model.AppID]struct{} // who may want what a rival wants: nobody else does

	quiet model.Revision // of a ledger that gives nobody what another one wants
}

// NewRegister returns the register of a fleet. Specs are the names of its applications and
// of other specs, by digest.
func NewRegister(fleet *model.Fleet, specs map[model.Digest]*Names) *Register {
	r := &Register{
		allotments: AllotmentsOf(fleet.Platform), specs: specs, first: make(map[uint64]int32, 8*len(fleet.Applications)),
		more: map[uint64][]int32{}, wild: map[string]bool{}, disputing: map[model.AppID]struct{}{},
	}
	for _, a := range fleet.Applications {
		if names := specs[a.Digest]; names != nil && a.Desired != model.DesiredTerminated {
			r.add(names)
		}
	}
	for sum, others := range r.more {
		r.dispute(append([]int32{r.first[sum]}, others...), sum)
	}
	if len(r.wild) > 0 {
		for _, names := range r.fleet {
			r.disputeWildcards(names)
		}
	}
	return r
}

func (r *Register) add(names *Names) {
	i := int32(len(r.fleet))
	r.fleet = append(r.fleet, names)
	for _, sum := range names.sums {
		if _, wanted := r.first[sum]; wanted {
			r.more[sum] = append(r.more[sum], i)
			continue
		}
		r.first[sum] = i
	}
	for _, h := range names.Hosts {
		if strings.HasPrefix(h.Name, "*.") {
			r.wild[h.Name] = true
		}
	}
}

// dispute notes the applications that want a name, unless all of them may have it.
func (r *Register) dispute(apps []int32, sum uint64) {
	one := r.fleet[apps[0]]
	shared := false
	one.each(func(n name, _ string) {
		shared = shared || n.divides() && n.sum() == sum
	})
	if shared && !slices.ContainsFunc(apps, func(i int32) bool { return r.fleet[i].App.Tenant != one.App.Tenant }) {
		return
	}
	for _, i := range apps {
		r.disputing[r.fleet[i].App] = struct{}{}
	}
}

// disputeWildcards notes an application that wants a host below the wildcard of another
// tenant, and that one.
func (r *Register) disputeWildcards(names *Names) {
	for _, h := range names.Hosts {
		for _, w := range above(h.Name)[1:] {
			if !r.wild[w] || r.allotments.apart(h.Name, w) {
				continue
			}
			for _, other := range r.who(name{host: w}) {
				if other.Tenant != names.App.Tenant {
					r.disputing[names.App], r.disputing[other] = struct{}{}, struct{}{}
				}
			}
		}
	}
}

// who lists the applications of the fleet that want a name.
func (r *Register) who(n name) (apps []model.AppID) {
	sum := n.sum()
	first, wanted := r.first[sum]
	if !wanted {
		return nil
	}
	for _, i := range append([]int32{first}, r.more[sum]...) {
		if _, ok := r.fleet[i].has(n); ok {
			apps = append(apps, r.fleet[i].App)
		}
	}
	return apps
}

// of returns what an application of the fleet wants, nil if it wants nothing.
func (r *Register) of(app model.AppID) *Names {
	i, found := slices.BinarySearchFunc(r.fleet, app, func(n *Names, app model.AppID) int { return n.App.Compare(app) })
	if !found {
		return nil
	}
	return r.fleet[i]
}

// below lists the hosts of the fleet that a wildcard takes in.
func (r *Register) below(wildcard string) (hosts []name) {
	for _, names := range r.fleet {
		for _, h := range names.Hosts {
			if h.Name != wildcard && covers(wildcard, h.Name) {
				hosts = append(hosts, name{host: h.Name})
			}
		}
	}
	return hosts
}

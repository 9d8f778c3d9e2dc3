package process

import (
	"cmp"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// seat is a host while replicas are placed.
type seat struct {
	*host
	room model.Resources // left for further replicas
	has  int             // replicas of the workload
}

// place returns the hosts of the replicas of a workload. A replica keeps its host while that
// lives; one whose host is away moves to another one that has room. Equal plans and hosts give
// equal places.
func (p *pool) place(platform *model.Platform, w *wanted) []hostplan.Place {
	seats := p.seats(platform, w.Key)
	sum := 0
	for i := range seats {
		if s := &seats[i]; !s.away {
			s.take(w.On(s.Host), w)
			sum += s.has
		}
	}
	for ; sum > w.Replicas; sum-- {
		fullest(seats).take(-1, w)
	}
	for ; sum < w.Replicas; sum++ {
		s := emptiest(seats, w)
		if s == nil {
			break
		}
		s.take(1, w)
	}
	for i := range seats { // what finds no room waits for its host
		if s := &seats[i]; s.away {
			s.take(min(w.On(s.Host), w.Replicas-sum), w)
			sum += s.has
		}
	}
	var places []hostplan.Place
	for i := range seats {
		if seats[i].has > 0 {
			places = append(places, hostplan.Place{Host: seats[i].Host, Replicas: seats[i].has})
		}
	}
	return places
}

// take gives a host more replicas, or fewer.
func (s *seat) take(n int, w *wanted) {
	s.has += n
	s.room = s.room.Sub(w.Requests.Times(n))
}

// fullest returns the host with the most replicas, the last one of several.
func fullest(seats []seat) (most *seat) {
	for i := range seats {
		if s := &seats[i]; !s.away && (most == nil || s.has >= most.has) {
			most = s
		}
	}
	return most
}

// emptiest returns the host that is to have the next replica, nil if none has room: that with the
// fewest in its domain, where replicas are to spread over domains, then with the fewest itself,
// then with the most processors left.
func emptiest(seats []seat, w *wanted) (best *seat) {
	domains := map[string]int{}
	domain := func(s *seat) string { return s.Labels[w.key] }
	if w.spread != nil && w.spread.Over != "node" && w.key != "" {
		for i := range seats {
			domains[domain(&seats[i])] += seats[i].has
		}
	}
	for i := range seats {
		s := &seats[i]
		if s.away || s.room.CPU < w.Requests.CPU || s.room.Memory < w.Requests.Memory {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(domains[domain(s)], domains[domain(best)]), cmp.Compare(s.has, best.has), cmp.Compare(best.room.CPU, s.room.CPU)) < 0 {
			best = s
		}
	}
	return best
}

// seats returns the hosts of a pool with the room that other workloads leave.
func (p *pool) seats(platform *model.Platform, but hostplan.Key) []seat {
	seats := make([]seat, len(p.hosts))
	at := map[string]*seat{}
	for i := range p.hosts {
		h := &p.hosts[i]
		seats[i] = seat{host: h, room: overcommitted(h.Capacity, platform)}
		at[h.Host] = &seats[i]
	}
	for i := range p.Workloads {
		w := &p.Workloads[i]
		for _, place := range w.Hosts {
			if s := at[place.Host]; s != nil && w.Key != but {
				s.room = s.room.Sub(w.Requests.Times(place.Replicas))
			}
		}
	}
	return seats
}

// overcommitted is what the platform promises of a capacity.
func overcommitted(r model.Resources, platform *model.Platform) model.Resources {
	r.CPU = r.CPU / 1000 * int64(max(1000, platform.Policy.OvercommitCPU))
	r.Memory = r.Memory / 1000 * int64(max(1000, platform.Policy.OvercommitMem))
	return r
}

package view

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// maxHolders bounds the tenants that are listed of one resource of a pool.
const maxHolders = 20

// Pools is the capacity of the fleet.
type Pools struct {
	Pools []Pool `json:"pools"`
}

// Pool is the capacity of one resource pool, as the decisions were made on it.
type Pool struct {
	Pool      string         `json:"pool"`
	Nodes     int            `json:"nodes"`
	Declared  bool           `json:"declared,omitempty"` // the platform's files say its capacity, not its nodes
	Domains   []model.Domain `json:"domains,omitempty"`
	OS        []string       `json:"os,omitempty"`
	Runtimes  []string       `json:"runtimes,omitempty"`
	Price     model.Price    `json:"price"`
	Resources []PoolResource `json:"resources"`
}

// PoolResource is one resource of a pool. Amounts are in thousandths of a CPU, bytes, or numbers of devices.
type PoolResource struct {
	Resource string       `json:"resource"`
	Capacity int64        `json:"capacity"`
	Granted  int64        `json:"granted"`
	Free     int64        `json:"free"`    // never negative
	Tenants  []NamedShare `json:"tenants"` // those that hold most, at most 20
	Others   int64        `json:"others"`  // what all other tenants hold
	Bands    []NamedShare `json:"bands"`   // by priority of the applications, the highest band first
}

// NamedShare is what the applications of a tenant or of a band hold.
type NamedShare struct {
	Name    string `json:"name"`
	Granted int64  `json:"granted"`
}

// PoolsOf returns the pools that the ledger knows.
func PoolsOf(l *model.Ledger) Pools {
	held := holdings{}
	for i := range l.Instances {
		if in := &l.Instances[i]; in.Phase.Active() {
			held.add(in, bandOf(l.Platform, in))
		}
	}
	v := Pools{Pools: []Pool{}}
	for i := range l.Pools {
		p := &l.Pools[i]
		pool := Pool{Pool: p.Name, Nodes: p.Nodes, Domains: p.Domains, Resources: []PoolResource{}}
		if l.Platform != nil {
			if spec, ok := model.Find(l.Platform.Pools, p.Name); ok {
				pool.OS, pool.Runtimes, pool.Price, pool.Declared = spec.OS, spec.Runtimes, spec.Price, spec.Capacity != nil
			}
		}
		in := held.of(p.Name)
		for _, r := range p.Capacity.Names(in.granted) {
			pool.Resources = append(pool.Resources, in.resource(r, p.Capacity.Get(r), l.Platform))
		}
		v.Pools = append(v.Pools, pool)
	}
	return v
}

// below names the band of priorities that are lower than every declared band.
const below = "below all bands"

// bandOf returns the name of the band of an application that runs.
func bandOf(platform *model.Platform, in *model.Instance) string {
	if platform == nil || in.Spec == nil {
		return below
	}
	if rank := platform.BandOf(in.Spec.Priority); rank < len(platform.Bands) {
		return platform.Bands[rank].Name
	}
	return below
}

// holdings are what applications hold, by pool.
type holdings map[string]*holding

// holding is what applications hold of one pool.
type holding struct {
	granted         model.Resources
	tenants, byBand map[string]model.Resources
}

func (h holdings) of(pool string) *holding {
	if h[pool] == nil {
		h[pool] = &holding{tenants: map[string]model.Resources{}, byBand: map[string]model.Resources{}}
	}
	return h[pool]
}

func (h holdings) add(in *model.Instance, band string) {
	for i := range in.Components {
		c := &in.Components[i]
		takes, of := c.Takes(), h.of(c.Grant.Pool)
		of.granted = of.granted.Add(takes)
		of.tenants[in.App.Tenant] = of.tenants[in.App.Tenant].Add(takes)
		of.byBand[band] = of.byBand[band].Add(takes)
	}
}

// resource returns one resource of the pool.
func (h *holding) resource(name string, capacity int64, platform *model.Platform) PoolResource {
	r := PoolResource{Resource: name, Capacity: capacity, Granted: h.granted.Get(name), Tenants: []NamedShare{}, Bands: []NamedShare{}}
	r.Free = max(0, capacity-r.Granted)
	for _, tenant := range slices.Sorted(maps.Keys(h.tenants)) {
		if n := h.tenants[tenant].Get(name); n > 0 {
			r.Tenants = append(r.Tenants, NamedShare{tenant, n})
		}
	}
	slices.SortStableFunc(r.Tenants, func(a, b NamedShare) int {
		return cmp.Or(cmp.Compare(b.Granted, a.Granted), strings.Compare(a.Name, b.Name))
	})
	for _, t := range r.Tenants[min(len(r.Tenants), maxHolders):] {
		r.Others += t.Granted
	}
	r.Tenants = slices.Clip(r.Tenants[:min(len(r.Tenants), maxHolders)])
	var bands []string
	if platform != nil {
		bands = model.Names(platform.Bands)
	}
	for _, band := range append(bands, below) {
		if n := h.byBand[band].Get(name); n > 0 {
			r.Bands = append(r.Bands, NamedShare{band, n})
		}
	}
	return r
}

package decode

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type platformDoc struct {
	Name   string             `json:"name"`
	Policy json.RawMessage    `json:"policy"` // as written; _effective is what counts
	Pools  map[string]poolDoc `json:"pools"`
	Bands  map[string]int     `json:"bands"`
	QoS    struct {
		Profiles map[string]profileDoc `json:"profiles"`
	} `json:"qos"`
	Groups       map[string]groupDoc       `json:"groups"`
	Reservations map[string]reservationDoc `json:"reservations"`

	Definitions json.RawMessage    `json:"definitions"` // for applications
	Access      *platformAccessDoc `json:"access"`
}

type poolDoc struct {
	OS       []string `json:"os"`
	Runtimes []string `json:"runtimes"`
	Nodes    *struct {
		Selector map[string]string `json:"selector"`
	} `json:"nodes"`
	Capacity    *resourcesDoc `json:"capacity"`
	TopologyKey string        `json:"topologyKey"`
	Price       struct {
		CPU    json.Number `json:"cpu"`
		Memory json.Number `json:"memory"`
	} `json:"price"`
}

type profileDoc struct {
	Rank int `json:"rank"`
	CPU  struct {
		Weight int64         `json:"weight"`
		Quota  model.Percent `json:"quota"`
		Burst  model.Percent `json:"burst"`
	} `json:"cpu"`
	Memory struct {
		Min  model.Percent `json:"min"`
		Low  model.Percent `json:"low"`
		High model.Percent `json:"high"`
	} `json:"memory"`
	IO struct {
		Weight int64 `json:"weight"`
	} `json:"io"`
	Network struct {
		Share    model.Percent `json:"share"`
		Priority int           `json:"priority"`
	} `json:"network"`
}

// Platform returns the platform of a repo, or all that is wrong with it.
func Platform(doc layer.Document) (*model.Platform, []model.Problem) {
	own := &doc.Layer
	if doc.JSON == nil {
		return nil, doc.Problems
	}
	var d platformDoc
	var e effectiveDoc
	if err := cmp.Or(decode(doc.JSON, &d), decode(doc.Effective, &e)); err != nil {
		return nil, []model.Problem{own.Blame(catalogue.Amount, "platform", err.Error())}
	}
	p := &model.Platform{
		Name:     d.Name,
		Policy:   e.policy(own),
		Bands:    bands(d.Bands),
		Profiles: profiles(d.QoS.Profiles),
		At:       own.Positions(platformQuoted),
	}
	var problems []model.Problem
	for _, name := range slices.Sorted(maps.Keys(d.Pools)) {
		pool, problem := d.Pools[name].pool(name, own)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		p.Pools = append(p.Pools, pool)
	}
	var inBands, inGroups, inReservations, inAccess []model.Problem
	inBands = bandProblems(p.Bands, own)
	p.Groups, inGroups = groups(d.Groups, own)
	p.Reservations, inReservations = reservations(d.Reservations, p.Pools, own)
	p.Access, inAccess = d.Access.access(own)
	problems = slices.Concat(problems, inBands, inGroups, inReservations, doc.Problems, inAccess)
	if problems != nil {
		return nil, problems
	}
	return p, nil
}

func platformQuoted(path []string) bool {
	switch path[0] {
	case "policy", "bands", "access", "groups", "reservations":
		return true
	}
	return path[0] == "pools" && len(path) <= 4
}

func (d poolDoc) pool(name string, own *layer.Layer) (model.PoolSpec, *model.Problem) {
	path := "platform.pools." + name
	if (d.Nodes == nil) == (d.Capacity == nil) {
		p := own.Blame(catalogue.Capacity, path, "says either nodes, whose capacity is discovered, or capacity")
		return model.PoolSpec{}, &p
	}
	pool := model.PoolSpec{
		Name: name, OS: sorted(d.OS), Runtimes: sorted(d.Runtimes), TopologyKey: d.TopologyKey,
		Price: model.Price{CPU: parts(d.Price.CPU, millionth), Memory: parts(d.Price.Memory, millionth)},
	}
	if d.Nodes != nil {
		pool.Selector = d.Nodes.Selector
		if len(pool.Selector) == 0 {
			p := own.Blame(catalogue.Capacity, path+".nodes.selector", "names no label; it would select every node")
			return pool, &p
		}
	}
	if d.Capacity != nil {
		capacity, err := d.Capacity.resources()
		if err != nil {
			p := own.Blame(catalogue.Amount, path+".capacity", err.Error())
			return pool, &p
		}
		pool.Capacity = &capacity
	}
	return pool, nil
}

// bands sorts by priority, the highest first.
func bands(m map[string]int) (out []model.Band) {
	for name, least := range m {
		out = append(out, model.Band{Name: name, Min: least})
	}
	slices.SortFunc(out, func(a, b model.Band) int {
		return cmp.Or(cmp.Compare(b.Min, a.Min), strings.Compare(a.Name, b.Name))
	})
	return out
}

// bandProblems blames bands that are ambiguous.
func bandProblems(bands []model.Band, own *layer.Layer) (problems []model.Problem) {
	for i := 1; i < len(bands); i++ {
		if bands[i].Min == bands[i-1].Min {
			problems = append(problems, own.Blame(catalogue.Bands, "platform.bands."+bands[i].Name,
				"begins at the same priority as band "+bands[i-1].Name))
		}
	}
	if len(bands) == 0 || bands[len(bands)-1].Min != 0 {
		problems = append(problems, own.Blame(catalogue.Bands, "platform.bands", "has no band that begins at priority 0"))
	}
	return problems
}

// profiles are the built-in ones and those of the platform, which may redefine
// built-in ones.
func profiles(declared map[string]profileDoc) (out []model.QoSProfile) {
	byName := map[string]model.QoSProfile{}
	for _, p := range model.BuiltinQoSProfiles() {
		byName[p.Name] = p
	}
	for name, d := range declared {
		byName[name] = model.QoSProfile{
			Name: name, Rank: d.Rank,
			CPU:     model.QoSCPU{Weight: d.CPU.Weight, Quota: d.CPU.Quota, Burst: d.CPU.Burst},
			Memory:  model.QoSMemory{Min: d.Memory.Min, Low: d.Memory.Low, High: d.Memory.High},
			IO:      model.QoSIO{Weight: d.IO.Weight},
			Network: model.QoSNetwork{Share: d.Network.Share, Priority: d.Network.Priority},
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

package decode

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type platformDoc struct {
	Name   string             `json:"name"`
	Policy json.RawMessage    `json:"policy"` // as written; beside its history, _effective is what counts
	Pools  map[string]poolDoc `json:"pools"`
	Bands  map[string]int     `json:"bands"`
	QoS    struct {
		Profiles map[string]model.QoSProfile `json:"profiles"`
	} `json:"qos"`
	Allotments   map[string]allotmentDoc   `json:"allotments"`
	Groups       map[string]groupDoc       `json:"groups"`
	Reservations map[string]reservationDoc `json:"reservations"`

	Ingress struct {
		From []model.Origin `json:"from"`
	} `json:"ingress"`

	Links       model.Links     `json:"links"`
	Definitions json.RawMessage `json:"definitions"` // for applications
	Access      *accessDoc      `json:"access"`
}

type poolDoc struct {
	model.PoolSpec
	Nodes *struct {
		Selector map[string]string `json:"selector"`
	} `json:"nodes"`
	Capacity *resourcesDoc `json:"capacity"`
	Price    struct {
		CPU    json.Number `json:"cpu"`
		Memory json.Number `json:"memory"`
	} `json:"price"`
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
		Policy:   e.policy(),
		InForce:  inForce(doc.Effective, "", own),
		Bands:    bands(d.Bands),
		Profiles: profiles(d.QoS.Profiles), Allotments: shared(d.Allotments),
		HalfLife: duration(gjson.GetBytes(d.Policy, "history.halfLife").String()), At: own.Positions(platformQuoted),
	}
	var problems []model.Problem
	for _, name := range slices.Sorted(maps.Keys(d.Pools)) {
		pool, bad := d.Pools[name].pool(name, own)
		if bad == nil {
			p.Pools = append(p.Pools, pool)
		}
		problems = append(problems, bad...)
	}
	var inBands, inGroups, inReservations, inAccess, inNetwork, inLinks []model.Problem
	inBands = bandProblems(p.Bands, own)
	p.Groups, inGroups = groups(d.Groups, own)
	p.Reservations, inReservations = reservations(d.Reservations, p.Pools, own)
	p.Access, inAccess = d.Access.ofPlatform(own)
	p.Network, inNetwork = d.network(p.Policy.Exits, own)
	p.Links, inLinks = d.Links, linkProblems(d.Links, own)
	problems = slices.Concat(problems, inBands, inGroups, inReservations, doc.Problems, inAccess, inNetwork, inLinks)
	if problems != nil {
		return nil, problems
	}
	return p, nil
}

func platformQuoted(path []string) bool {
	switch path[0] {
	case "policy", "bands", "access", "groups", "reservations":
		return true
	case "allotments":
		return len(path) == 2 || len(path) > 2 && slices.Contains([]string{"namespaces", "hosts", "ingress", "services"}, path[2])
	}
	return path[0] == "pools" && len(path) <= 4
}

func (d poolDoc) pool(name string, own *layer.Layer) (pool model.PoolSpec, problems []model.Problem) {
	path := "platform.pools." + name
	ofHosts := d.Nodes == nil && d.Capacity == nil && (slices.Contains(d.Runtimes, "process") || slices.Contains(d.Runtimes, "nomad")) // they name their pool
	if (d.Nodes == nil) == (d.Capacity == nil) && !ofHosts {
		return pool, []model.Problem{own.Blame(catalogue.Capacity, path, "says either nodes, whose capacity is discovered, or capacity")}
	}
	if slices.Contains(d.Runtimes, "wasm") && d.Capacity == nil {
		return pool, []model.Problem{own.Blame(catalogue.ModuleCapacity, path+".runtimes", "has wasm, and modules run beside the reconciler, where no node says what there is; declare a capacity")}
	}
	if d.Cluster != "" && !slices.Contains(d.Runtimes, "container") && !slices.Contains(d.Runtimes, "virtual-machine") {
		return pool, []model.Problem{beside(own, own.Blame(catalogue.ClusterOfHosts, path+".cluster", "names cluster "+d.Cluster+", and the pool runs nothing that a cluster carries"), path+".runtimes")}
	}
	pool = d.PoolSpec
	pool.Name, pool.OS, pool.Runtimes = name, sorted(pool.OS), sorted(pool.Runtimes)
	pool.Price = model.Price{CPU: parts(d.Price.CPU, millionth), Memory: parts(d.Price.Memory, millionth)}
	capacity, problems := d.Capacity.amount(path+".capacity", own)
	capacity, bad := d.sharing(name, capacity, own)
	problems = append(problems, bad...)
	switch {
	case d.Nodes != nil:
		pool.Selector = d.Nodes.Selector
		if len(pool.Selector) == 0 {
			problems = append(problems, own.Blame(catalogue.Capacity, path+".nodes.selector", "names no label; it would select every node"))
		}
	case !ofHosts:
		pool.Capacity = &capacity
	}
	return pool, problems
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
func profiles(declared map[string]model.QoSProfile) []model.QoSProfile {
	byName := map[string]model.QoSProfile{}
	for _, p := range model.BuiltinQoSProfiles() {
		byName[p.Name] = p
	}
	for name, p := range declared {
		p.Name = name
		byName[name] = p
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b model.QoSProfile) int { return strings.Compare(a.Name, b.Name) })
}

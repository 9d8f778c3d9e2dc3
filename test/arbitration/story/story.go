// Package story reads situations of arbitration that people write: pools,
// tenants, what runs and what asks, one statement a line. It decides nothing.
//
//	policy preemption=reclaim degradation=true      of the platform and so of everybody
//	pool general cpu=9 gpu=3 racks=3 full=1 price=1 capacity; racks of which some are full; price of a core-hour
//	group g weight=2 guarantee=5 in=h               gathers tenants and groups that say in=g
//	tenant a weight=2 guarantee=3 borrow=0 lend=2 quota=6 apps=3 ceiling=200 in=g
//	tenant a pools=fast:3/slow:2                    has quotas of cpu in these pools
//	runs a/1 a/2 size=1 priority=200                applications of one component that run already …
//	asks a/new size=2,1gpu x=3 min=1                … and that ask for a place, here three replicas, at least one
//	asks a/shop priority=300                        an application of several components:
//	  web 3 x 500m min=1 qos=burst optional after=db spread=3 in=premium
//	asks a/job size=2 flavours=fast/slow:4/spot     runs in the first of these pools that is free, in slow with other requests
//	asks a/gang size=1 x=4 together=required        all of it in one rack, or preferred to several
//	runs a/gang size=1 x=4 together=required rack=rack-1   it stands in that rack
//	asks a/new size=4 waited=20m                    asks since then
//	later a/1 size=2                                changes what Git says of it
//	runs a/job size=1 expect=40m began=10m          a job that is expected to run for so long, and began so long ago
//	runs a/job size=1 took=30m,35m,20m began=10m    a job that has run before, for so long
//	asks a/shop size=1 workflow=blue-green          a workflow of one step, here one that switches from one version to the next
//	switching a/shop                                its workflow is at it and holds both
//	switched a/shop                                 its workflow has just ended and holds both still
//	restarted a/shop                                its workflow was begun again and holds one
//
// Amounts are cpu, or end in gpu or in a unit of memory. Who stands first came
// first. Everything has priority 200 where nothing else is said.
package story

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// Priority is that of applications that name none, in the band standard.
const Priority = 200

// Bands are the default bands of a platform.
var Bands = []model.Band{{Name: "system", Min: 900}, {Name: "production", Min: 500}, {Name: "standard", Min: 100}, {Name: "batch", Min: 0}}

// Story is a situation and who asks in it.
type Story struct {
	*world.World
	Asking []model.AppID // in the order of the lines

	policy  model.Policy
	app     *model.Application // whose components follow
	running []model.AppID
	began   map[model.AppID]time.Duration // before the story begins
	took    map[model.AppID]string        // its earlier runs
	rack    map[model.AppID]string        // in which it stands together
	line    int
}

// Read reads a situation. Errors name the line.
func Read(text string) (*Story, error) {
	s := &Story{
		began: map[model.AppID]time.Duration{}, took: map[model.AppID]string{}, rack: map[model.AppID]string{},
		World: world.New(model.Platform{Name: "story", Bands: Bands}),
		policy: model.Policy{
			PriorityCeiling: 1000, Preemption: "reclaim", Degradation: true, Runtimes: []string{"container"},
			OvercommitCPU: 1000, OvercommitMem: 1000, Strategies: []string{"spread"}, Strategy: "spread",
			Ladder: []string{"qos", "optional", "replicas"},
		},
	}
	s.Now = world.Start.Add(-24 * time.Hour) // what runs has run for long
	for line := range strings.Lines(text) {
		s.line++
		if err := s.statement(line); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", s.line, strings.TrimSpace(line), err)
		}
	}
	if err := s.close(); err != nil {
		return nil, err
	}
	for i := range s.Fleet.Tenants {
		s.Fleet.Tenants[i].Policy = s.policy
	}
	s.Fleet.Platform.Policy = s.policy
	s.Now = world.Start
	return s, nil
}

func (s *Story) statement(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return nil
	}
	if strings.HasPrefix(line, " ") {
		return s.component(words)
	}
	if err := s.close(); err != nil {
		return err
	}
	o := read(words[1:])
	switch words[0] {
	case "policy":
		s.setPolicy(o)
	case "pool":
		s.addPool(o)
	case "group":
		s.addGroup(o)
	case "tenant":
		s.addTenant(o)
	case "runs", "asks":
		s.addApplications(words[0], o)
	case "failed":
		s.fail(o)
	case "notready":
		s.notReady(o)
	case "switching":
		s.switching(o, true, false)
	case "switched":
		s.switching(o, true, true)
	case "restarted":
		s.switching(o, false, false)
	case "later":
		s.addApplications("later", o)
	default:
		return errors.New("no such statement; see the comment of package story")
	}
	return o.rest()
}

func (s *Story) setPolicy(o *options) {
	s.policy.Preemption = model.Preemption(o.word("preemption", string(s.policy.Preemption)))
	s.policy.Degradation = o.word("degradation", "true") == "true"
	s.policy.MaxShare = o.number("share", s.policy.MaxShare)
	s.policy.MinRuntime = o.time("minRuntime")
	s.policy.RestoreHold = o.time("restoreHold")
	s.policy.ReserveAfter = o.time("reserveAfter")
	s.policy.Flavours = model.FlavourOrder(o.word("flavours", ""))
	s.policy.PriorityClaims = model.PriorityClaims(o.word("claims", ""))
	s.policy.RestoreMargin = o.number("restoreMargin", 0)
	s.policy.Backfill = model.Backfill(o.word("backfill", ""))
}

func (s *Story) addPool(o *options) {
	pool := model.Pool{Name: o.name(), Nodes: 1}
	pool.Capacity = model.Resources{CPU: o.amount("cpu").CPU, Memory: o.amount("memory").Memory}
	if gpu := o.number("gpu", 0); gpu > 0 {
		pool.Capacity.Devices = map[string]int64{GPU: int64(gpu)}
	}
	racks, full := o.number("racks", 0), o.number("full", 0)
	for i := range racks {
		d := model.Domain{Name: fmt.Sprintf("rack-%d", i+1), Nodes: 1}
		if i < racks-full {
			d.Capacity = divide(pool.Capacity, racks-full)
		}
		pool.Domains, pool.Nodes = append(pool.Domains, d), racks
	}
	s.AddPool(pool)
	spec := &s.Fleet.Platform.Pools[len(s.Fleet.Platform.Pools)-1]
	spec.TopologyKey = "example.com/rack"
	spec.Price.CPU = int64(o.number("price", 0)) * 1e6
}

func (s *Story) addGroup(o *options) {
	s.Fleet.Platform.Groups = append(s.Fleet.Platform.Groups, model.Group{
		Name: o.name(), Parent: o.word("in", ""), Weight: o.number("weight", 1), Guarantee: o.amount("guarantee"),
		Quota: o.limit("quota"), Borrow: o.limit("borrow"), Lend: o.limit("lend"), PoolQuotas: o.poolQuotas(),
	})
}

func (s *Story) addTenant(o *options) {
	name, in := o.name(), o.word("in", "")
	s.Fleet.Tenants = append(s.Fleet.Tenants, model.Tenant{
		Name: name, Weight: o.number("weight", 1), Guarantee: o.amount("guarantee"), Borrow: o.limit("borrow"), Lend: o.limit("lend"),
		Quota: o.limit("quota"), PoolQuotas: o.poolQuotas(), MaxApplications: o.number("apps", 0), PriorityCeiling: o.number("ceiling", 1000),
	})
	if i := slices.IndexFunc(s.Fleet.Platform.Groups, func(g model.Group) bool { return g.Name == in }); i >= 0 {
		s.Fleet.Platform.Groups[i].Tenants = append(s.Fleet.Platform.Groups[i].Tenants, name)
	} else if in != "" {
		o.fail(fmt.Errorf("no group %s stands above", in))
	}
}

func divide(r model.Resources, n int) model.Resources {
	part := model.Resources{CPU: r.CPU / int64(n), Memory: r.Memory / int64(n)}
	for name, count := range r.Devices {
		part = part.Add(model.Resources{Devices: map[string]int64{name: count / int64(n)}})
	}
	return part
}

// GPU is the device that "gpu" stands for.
const GPU = "example.com/gpu"

// parseAmount reads "2", "500m", "4Gi", "1gpu" or several, with commas.
func parseAmount(text string) (sum model.Resources, err error) {
	for word := range strings.SplitSeq(text, ",") {
		var r model.Resources
		switch {
		case strings.HasSuffix(word, "gpu"):
			var n int
			n, err = strconv.Atoi(strings.TrimSuffix(word, "gpu"))
			r.Devices = map[string]int64{GPU: int64(n)}
		case strings.HasSuffix(word, "i"):
			r.Memory, err = model.ParseMemory(word)
		default:
			r.CPU, err = model.ParseCPU(word)
		}
		if err != nil {
			return sum, err
		}
		sum = sum.Add(r)
	}
	return sum, nil
}

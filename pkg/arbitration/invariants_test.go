package arbitration_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/inside"
	"github.com/d-aros/d-aros/test/arbitration/world"
	"github.com/d-aros/d-aros/test/tier"
)

// invariants are the properties by the number that they have in their comments,
// so that FuzzInvariants can try them all for as long as one likes.
var invariants = []func(*rapid.T){
	sameRulingAgain, orderDoesNotMatter, namesDoNotMatter,
	nothingIsOversold, capsHold, ceilingsHold, noPriorityInversion, nobodyBetterGivesWay, guaranteesAreSafe, guaranteesComeBack,
	nothingFitsThatWaits, noExchangeIsFairer, envyUpToOne, sharingPays, moreForFewerTenants, moreQuotaIsNoLess, lyingDoesNotPay,
	disruptionIsMinimal, degradingComesFirst, nobodyGivesWayForNothing,
	everythingComesToRest, nothingCycles, littleChangesMoveLittle, placesAreKept, nobodyStarves,
	gangsAreWhole, dependantsWait, hintsHaveDomains,
	incrementalIsFull, otherTenantsAreLeftAlone,
	everyFailureCounts, adviceIsTrue, certificatesAreComplete, overQuotaGrowsNothing,
	higherPrioritiesRunInFull, sentencesAreTrue, oneMovePerHold,
	nobodyPassesAndEndsAfter, promisedStartsAreKept, everybodyIsToldSomething, gangsStandTogether, pastUseChangesWeightsOnly,
	higherPrioritiesRunAtTheirMinimum, prioritiesAreForTheMinimum,
}

// FuzzInvariants tries all invariants on worlds made of the fuzzer's bytes.
func FuzzInvariants(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		invariants[rapid.IntRange(0, len(invariants)-1).Draw(t, "invariant")](t)
	}))
}

// usual is how many hundred cases make test has of a property, at most.
const usual = 3

// holds checks a property in so many hundred cases; make quick has a hundred of each, make test three, make soak ten times as many.
func holds(t *testing.T, hundreds int, property func(*rapid.T)) {
	t.Helper()
	seed := flag.Lookup("rapid.seed").Value
	first, err := strconv.Atoi(seed.String())
	require.NoError(t, err)
	for n := range tier.Count(1, min(usual, hundreds), 10*hundreds) {
		require.NoError(t, seed.Set(strconv.Itoa(first+n)))
		rapid.Check(t, property)
	}
	require.NoError(t, seed.Set(strconv.Itoa(first)))
}

// TestMain has every run of the tests check the same cases, so that a change is
// what makes them fail. Another -rapid.seed checks others; make fuzz goes on and on.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed").Value; seed.String() == "0" {
		if err := seed.Set("1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// scene is a random world in which something may happen.
type scene struct {
	*world.World
	rng   *rand.Rand
	shape generate.Shape
	dress bool // with everything that generate leaves out
	timed bool // some end by themselves
	picks bool // also with choices of resources
	part  int  // of advice on several amounts: that which is made a unit less
	past  bool // weights follow past use

	minimal bool // priorities claim the minimum only
	last    int
}

// plain draws a world with trees, limits, ladders and devices.
func plain(t *rapid.T) *scene {
	shape := generate.Everything(rapid.IntRange(1, 4).Draw(t, "tenants"), rapid.IntRange(1, 9).Draw(t, "applications"))
	shape.Preemption = rapid.SampledFrom([]model.Preemption{"none", "within-tenant", "reclaim", "any", "any"}).Draw(t, "preemption")
	return shaped(t, shape)
}

func shaped(t *rapid.T, shape generate.Shape) *scene {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 34))
	return &scene{World: generate.Random(rng, shape), rng: rng, shape: shape}
}

// dressed draws a world with quotas, budgets, prices, share caps, reservations,
// racks, named pools, dependencies and times to wait as well.
func dressed(t *rapid.T) *scene {
	s := plain(t)
	s.picks = true
	return s.dressed()
}

func (s *scene) dressed() *scene {
	s.dress = true
	s.Fleet.Platform.Policy.ReserveAfter = time.Minute
	for i := range s.Seen.Pools {
		q := &s.Seen.Pools[i]
		s.Fleet.Platform.Pools[i].TopologyKey = "example.com/rack"
		s.Fleet.Platform.Pools[i].Price = model.Price{CPU: int64(1+i) * 31_007, Memory: 4_001}
		for r := range 3 {
			part := model.Resources{CPU: q.Capacity.CPU / 3, Memory: q.Capacity.Memory / 3}
			q.Domains = append(q.Domains, model.Domain{Name: fmt.Sprint("rack-", r), Nodes: 1, Capacity: part})
		}
	}
	for i := range s.Fleet.Tenants {
		tn := &s.Fleet.Tenants[i]
		if s.one(3) {
			tn.Quota = &model.Resources{CPU: int64(1+s.rng.IntN(8)) * 1000, Memory: int64(1+s.rng.IntN(8)) << 30}
		}
		if s.one(4) {
			tn.MaxApplications = 1 + s.rng.IntN(4)
		}
		if s.one(4) {
			tn.MaxWorkloads = 1 + s.rng.IntN(5)
		}
		if s.one(4) {
			tn.PriorityCeiling = 300
		}
		if s.one(4) {
			tn.Reservations = []model.Reservation{{Name: "floor", Tenant: tn.Name, Pool: "pool-0", Amount: model.Resources{CPU: int64(s.rng.IntN(3)) * 500}}}
		}
	}
	if s.one(4) {
		s.Fleet.Platform.Reservations = []model.Reservation{{Name: "sshd", System: "sshd.service", Pool: "pool-1", Amount: model.Resources{CPU: 100}}}
	}
	for _, app := range slices.Clone(s.Fleet.Applications) {
		s.Declare(s.dressUp(*app))
	}
	return s
}

func (s *scene) one(in int) bool { return s.rng.IntN(in) == 0 }

func (s *scene) dressUp(app model.Application) model.Application {
	app.Policy = new(*app.Policy)
	if s.minimal {
		app.Policy.PriorityClaims = model.ClaimsMinimum
	}
	if !s.dress {
		return app
	}
	app.Components = slices.Clone(app.Components)
	main := &app.Components[0]
	if s.one(4) {
		app.Budget = int64(1+s.rng.IntN(12)) * 10_000
	}
	if s.one(4) {
		app.Policy.MaxShare = 100 + s.rng.IntN(500)
	}
	if s.one(4) {
		app.Policy.MinRuntime = time.Duration(s.rng.IntN(10)) * time.Minute
	}
	if s.one(5) {
		app.Policy.ReserveAfter = time.Duration(1+s.rng.IntN(5)) * time.Minute
	}
	if s.one(4) {
		main.Placement.Spread = &model.Spread{Over: "rack", Min: 1 + s.rng.IntN(4)}
	}
	if s.one(4) {
		main.Placement.Pool = "pool-1"
	}
	if s.one(4) {
		app.Policy.Ladder = []string{"replicas", "optional", "qos"}
	}
	if n := len(app.Components); n > 1 && s.one(2) {
		app.Components[n-1].DependsOn = []string{main.Name}
	}
	if s.one(3) {
		app.Workflow = &model.Workflow{Steps: []model.Step{{Name: "switch", Type: "blue-green"}}}
	}
	if s.picks {
		s.choose(&app, main)
		s.gather(&app)
	}
	app.Policy.Strategy = []string{"spread", "bin-pack", "cost-aware", "sla-aware"}[s.rng.IntN(4)]
	if s.timed {
		s.limitInTime(&app)
	}
	return app
}

// lived lets a world live for a while.
func (s *scene) lived(t *rapid.T) *scene {
	for range rapid.IntRange(0, 3).Draw(t, "past") {
		s.step(time.Minute)
		s.disturb()
	}
	return s
}

// step plays a round, and lets time pass.
func (s *scene) step(pass time.Duration) (model.Ruling, world.Changes) {
	ruling := s.Decide()
	return ruling, s.carryOut(ruling, pass)
}

// carryOut makes a ruling come true, and lets time pass.
func (s *scene) carryOut(ruling model.Ruling, pass time.Duration) world.Changes {
	changes := s.Apply(ruling)
	for _, id := range changes.Admitted {
		inst, _ := s.Ledger.Find(id)
		inst.History = append(inst.History, model.Transition{At: s.Now, Instance: inst.Number, From: model.PhaseAdmitted, To: model.PhaseScheduled})
	}
	s.Now = s.Now.Add(pass)
	return changes
}

// rest plays rounds an hour apart, so that nothing waits for a time to come,
// until nothing changes.
func (s *scene) rest(t *rapid.T) {
	quiet := 0 // a first quiet round may be one in which what runs had not run for long
	for range len(s.Fleet.Applications) + 4 {
		ruling, changes := s.step(time.Hour)
		announced := slices.ContainsFunc(ruling.Decisions, func(d model.Decision) bool { return !d.EvictAt.IsZero() })
		if quiet++; !changes.None() || announced {
			quiet = 0
		}
		if quiet == 2 {
			return
		}
	}
	t.Fatalf("something still moves after %d rounds", len(s.Fleet.Applications)+4)
}

// arrive declares one more application.
func (s *scene) arrive() model.AppID {
	s.last++
	app := s.dressUp(s.shape.Application(s.rng, fmt.Sprintf("late-%03d", s.last), new(generate.Policy(s.shape.Preemption))))
	s.Declare(app)
	return app.ID
}

// disturb changes something that arbitration must answer.
func (s *scene) disturb() {
	apps := s.Fleet.Applications
	switch kind := s.rng.IntN(10); {
	case kind < 4 || len(apps) == 0:
		s.arrive()
	case kind == 4:
		s.Remove(apps[s.rng.IntN(len(apps))].ID)
	case kind == 5:
		at := s.rng.IntN(len(s.Seen.Pools))
		s.Seen.Pools = slices.Clone(s.Seen.Pools)
		s.Seen.Pools[at].Capacity.CPU = int64(2+s.rng.IntN(14)) * 1000
		if s.picks {
			s.changeRacks(at)
		}
	case kind == 6: // a newer spec
		old := apps[s.rng.IntN(len(apps))]
		app := s.dressUp(s.shape.Application(s.rng, old.ID.Name, new(generate.Policy(s.shape.Preemption))))
		app.ID = old.ID
		s.Declare(app)
	case kind == 7: // something is not ready any more
		inst := &s.Ledger.Instances[s.rng.IntN(len(s.Ledger.Instances))]
		if len(inst.Components) > 0 {
			inst.Components[0].State = model.StateStarting
		}
	case kind == 8: // a workflow has come to its end
		s.EndRun(s.Ledger.Instances[s.rng.IntN(len(s.Ledger.Instances))].App)
	default:
		s.Now = s.Now.Add(time.Hour)
	}
}

// clone is a copy whose inputs can be changed.
func (s *scene) clone() *scene {
	c, w := *s, *s.World
	w.Fleet.Applications = slices.Clone(w.Fleet.Applications)
	for i, app := range w.Fleet.Applications {
		w.Fleet.Applications[i] = new(*app)
	}
	w.Fleet.Tenants = slices.Clone(w.Fleet.Tenants)
	platform := *w.Fleet.Platform
	w.Fleet.Platform = &platform
	w.Seen.Pools = slices.Clone(w.Seen.Pools)
	w.Ledger.Instances = slices.Clone(w.Ledger.Instances)
	c.World = &w
	return &c
}

func (s *scene) inside() *inside.Inside {
	return inside.Look(s.Fleet, s.Seen, s.Ledger, s.Now)
}

// resources are all that generated worlds know.
var resources = []string{"cpu", "memory", generate.GPU}

// runs reports whether an application holds a place.
func (s *scene) runs(id model.AppID) bool {
	inst, ok := s.Ledger.Find(id)
	return ok && inst.Phase.Active()
}

func (s *scene) app(id model.AppID) *model.Application {
	for i := range s.Fleet.Applications {
		if s.Fleet.Applications[i].ID == id {
			return s.Fleet.Applications[i]
		}
	}
	return nil
}

// short reports whether a pool holds less than was granted of it.
func (s *scene) short() bool {
	for _, q := range s.Seen.Pools {
		if !s.Used(q.Name).Fits(s.offers(q)) {
			return true
		}
	}
	return false
}

// offers is the capacity of a pool less what is reserved for the system.
func (s *scene) offers(q model.Pool) model.Resources {
	for _, v := range s.Fleet.Platform.Reservations {
		if v.System != "" && v.Pool == q.Name {
			q.Capacity = q.Capacity.Sub(v.Amount.Times(q.Nodes))
		}
	}
	return q.Capacity
}

// updating reports whether Git holds a newer spec of something that runs.
func (s *scene) updating() bool {
	return slices.ContainsFunc(s.Ledger.Instances, func(i model.Instance) bool {
		app := s.app(i.App)
		return i.Phase.Active() && app != nil && app.Digest != i.SpecDigest()
	})
}

// cpu is an amount in whole cores.
func cpu(n int) model.Resources { return model.Resources{CPU: int64(n) * 1000} }

// flat draws a world of one pool, one resource and one band, in which nothing
// runs, all tenants are children of the root and all sizes are drawn by size.
func flat(t *rapid.T, capacity int, guarantees bool, size func() int) *scene {
	policy := generate.Policy("reclaim")
	w := world.New(model.Platform{Name: "flat", Policy: policy, Bands: generate.Bands})
	w.AddPool(model.Pool{Name: "pool-0", Nodes: 1, Capacity: cpu(capacity)})
	s := &scene{World: w, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 35))}
	tenants := rapid.IntRange(2, 4).Draw(t, "tenants")
	for i := range tenants {
		tn := model.Tenant{Name: fmt.Sprintf("tenant-%d", i), Weight: rapid.IntRange(1, 3).Draw(t, "weight"), PriorityCeiling: 1000, Policy: policy}
		if guarantees {
			tn.Guarantee = cpu(rapid.IntRange(0, capacity/tenants).Draw(t, "guarantee"))
		}
		w.Fleet.Tenants = append(w.Fleet.Tenants, tn)
	}
	for i := range tenants {
		for range rapid.IntRange(0, capacity).Draw(t, "wants") {
			s.want(i, size())
		}
	}
	return s
}

// want declares an application of a size in a tenant of a flat world.
func (s *scene) want(tenant, size int) model.AppID {
	s.last++
	app := generate.App(fmt.Sprintf("tenant-%d", tenant), fmt.Sprintf("app-%03d", s.last), 200, 1, cpu(size), new(generate.Policy("reclaim")))
	s.Declare(app)
	s.Now = s.Now.Add(time.Second)
	return app.ID
}

// holdings are the cores that each tenant of a flat world holds.
func (s *scene) holdings() map[string]int {
	held := map[string]int{}
	for i := range s.Ledger.Instances {
		id := s.Ledger.Instances[i].App
		held[id.Tenant] += int(s.Holds(id).CPU / 1000)
	}
	return held
}

// wanted are the cores that each tenant of a flat world asks for.
func (s *scene) wants() map[string]int {
	wants := map[string]int{}
	for i := range s.Fleet.Applications {
		wants[s.Fleet.Applications[i].ID.Tenant] += int(s.Fleet.Applications[i].Components[0].Requests.CPU / 1000)
	}
	return wants
}

// generateOnePool is the shape of a world with one pool of one resource and
// applications of one component.
func generateOnePool(tenants, applications int) generate.Shape {
	return generate.Shape{Pools: 1, Tenants: tenants, Applications: applications, Bands: true}
}

// noLimits lets tenants borrow and lend as they like.
func (s *scene) noLimits() {
	for i := range s.Fleet.Tenants {
		s.Fleet.Tenants[i].Borrow, s.Fleet.Tenants[i].Lend = nil, nil
	}
}

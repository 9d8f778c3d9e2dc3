package arbitration

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
)

var update = flag.Bool("update", false, "rewrite the wanted rulings in testdata")

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// TestScenarios reads situations from testdata/*.txtar and compares the rulings.
// A situation has one statement a line:
//
//	pool NAME nodes=2 cpu=8 memory=32Gi         of each node
//	tenant NAME cpu=16 memory=64Gi apps=3
//	app acme/shop priority=300 digest=2         followed by its components:
//	  web 3 x 500m 256Mi min=1 pool=p optional
//	runs acme/shop at full|minimum              it holds a place with the spec above
//	done acme/shop migrate                      that component has ended well
//	later acme/shop                             lines after it change what Git says
//	broken acme/shop                            Git holds it, but not valid
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Len(t, ar.Files, 2, "a situation and a ruling")
			got := show(decideScenario(t, string(ar.Files[0].Data)))
			if *update {
				ar.Files[1].Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(ar), 0o644))
			}
			require.Equal(t, string(ar.Files[1].Data), got)
		})
	}
}

func decideScenario(t *testing.T, text string) model.Ruling {
	s := parse(t, text)
	return Decide(s.fleet, s.seen, s.ledger, start)
}

type scenario struct {
	fleet  model.Fleet
	seen   model.Observation
	ledger model.Ledger
}

func parse(t *testing.T, text string) *scenario {
	s := &scenario{fleet: model.Fleet{Commit: "c1", Platform: &model.Platform{Name: "test"}}}
	var app *model.Application
	seal := func() {
		if app != nil {
			*app = app.Seal()
		}
	}
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, " ")
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		opts := options(words)
		switch {
		case indented:
			app.Components = append(app.Components, component(t, words, opts))
			seal()
		case words[0] == "pool":
			node := amount(t, opts)
			n, err := strconv.Atoi(opts["nodes"])
			require.NoError(t, err)
			s.fleet.Platform.Pools = append(s.fleet.Platform.Pools, model.PoolSpec{
				Name: words[1], OS: []string{"linux"}, Runtimes: []string{"container"},
			})
			s.seen.Pools = append(s.seen.Pools, model.Pool{
				Name: words[1], Nodes: n, Capacity: node.Times(n), Largest: node, Domains: make([]model.Domain, min(n, 3)),
			})
		case words[0] == "tenant":
			tn := model.Tenant{Name: words[1], At: model.Positions{"quota.cpu": "tenant.cue:5:9"}}
			if r := amount(t, opts); !r.IsZero() {
				tn.Quota = &r
			}
			tn.MaxApplications, _ = strconv.Atoi(opts["apps"])
			s.fleet.Tenants = append(s.fleet.Tenants, tn)
		case words[0] == "group":
			quota := amount(t, opts)
			s.fleet.Platform.Groups = append(s.fleet.Platform.Groups, model.Group{Name: words[1], Tenants: strings.Split(opts["tenants"], ","), Weight: 1, Quota: &quota})
			s.fleet.Platform.At = model.Positions{"groups." + words[1] + ".quota.cpu": "fleet.cue:7:9"}
		case words[0] == "app", words[0] == "later":
			seal()
			id, err := model.ParseAppID(words[1])
			require.NoError(t, err)
			next := model.Application{ID: id, Desired: "running", Policy: &model.Policy{
				PriorityCeiling: 1000, Degradation: opts["degradation"] != "false", Strategy: opts["strategy"]}}
			next.Priority, _ = strconv.Atoi(opts["priority"])
			next.Policy.MaxShare, _ = strconv.Atoi(opts["share"])
			if words[0] == "later" {
				app = s.app(t, id)
				*app = next
			} else {
				app = &next
				s.fleet.Applications = append(s.fleet.Applications, app)
			}
		case words[0] == "runs":
			seal()
			s.runs(t, words)
		case words[0] == "done":
			id, _ := model.ParseAppID(words[1])
			inst, ok := s.ledger.Find(id)
			require.True(t, ok)
			state, ok := inst.Component(words[2])
			require.True(t, ok)
			comp, _ := inst.Spec.Component(words[2])
			state.State, state.Spec = model.StateDone, comp.Content(id)
		case words[0] == "broken":
			id, _ := model.ParseAppID(words[1])
			s.fleet.Applications = without(s.fleet.Applications, id)
			s.fleet.Unusable = append(s.fleet.Unusable, model.Unusable{App: id, Code: "DA1001", Message: "does not parse"})
		default:
			t.Fatalf("unknown statement %q", line)
		}
	}
	seal()
	return s
}

func (s *scenario) app(t *testing.T, id model.AppID) *model.Application {
	for i := range s.fleet.Applications {
		if s.fleet.Applications[i].ID == id {
			return s.fleet.Applications[i]
		}
	}
	t.Fatalf("no app %s", id)
	return nil
}

func (s *scenario) runs(t *testing.T, words []string) {
	id, err := model.ParseAppID(words[1])
	require.NoError(t, err)
	spec := *s.app(t, id)
	inst := model.Instance{App: id, Number: 1, Phase: model.PhaseRunning, Since: start.Add(-time.Hour), Spec: &spec}
	if words[3] == "minimum" {
		inst.Phase = model.PhaseDegraded
	}
	for _, g := range grantsOf(&spec, words[3] == "minimum") {
		g.Pool = s.fleet.Platform.Pools[0].Name
		inst.Components = append(inst.Components, model.ComponentState{Grant: g, Run: g.Replicas, State: model.StateReady})
	}
	s.ledger.Instances = append(s.ledger.Instances, inst)
}

// grantsOf are the grants of a spec in full, or those of the minimum that policy
// lets it run.
func grantsOf(spec *model.Application, minimum bool) (grants []model.Grant) {
	for _, c := range spec.Components {
		g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS}
		if minimum && spec.Policy.Degradation {
			g.Replicas = c.MinReplicas()
			if c.Degrade != nil && c.Degrade.QoS != "" {
				g.QoS = c.Degrade.QoS
			}
			if !c.Critical {
				g.Replicas = 0
			}
		}
		grants = append(grants, g)
	}
	return grants
}

func component(t *testing.T, words []string, opts map[string]string) model.Component {
	c := model.Component{Name: words[0], Type: "worker", Runtime: "container", OS: "linux", Critical: true}
	n, err := strconv.Atoi(words[1])
	require.NoError(t, err)
	c.Replicas = n
	c.Requests.CPU, err = model.ParseCPU(words[3])
	require.NoError(t, err)
	c.Requests.Memory, err = model.ParseMemory(words[4])
	require.NoError(t, err)
	if m, ok := opts["min"]; ok {
		c.Degrade = &model.Degrade{}
		c.Degrade.MinReplicas, err = strconv.Atoi(m)
		require.NoError(t, err)
	}
	c.Placement.Pool = opts["pool"]
	if _, optional := opts["optional"]; optional {
		c.Critical = false
	}
	if n, ok := opts["zones"]; ok {
		c.Placement.Spread = &model.Spread{Over: "zone"}
		c.Placement.Spread.Min, err = strconv.Atoi(n)
		require.NoError(t, err)
	}
	return c
}

func options(words []string) map[string]string {
	opts := map[string]string{}
	for _, w := range words[1:] {
		k, v, _ := strings.Cut(w, "=")
		opts[k] = v
	}
	return opts
}

func amount(t *testing.T, opts map[string]string) (r model.Resources) {
	var err error
	if s, ok := opts["cpu"]; ok {
		r.CPU, err = model.ParseCPU(s)
		require.NoError(t, err)
	}
	if s, ok := opts["memory"]; ok {
		r.Memory, err = model.ParseMemory(s)
		require.NoError(t, err)
	}
	return r
}

func without(apps []*model.Application, id model.AppID) (rest []*model.Application) {
	for _, a := range apps {
		if a.ID != id {
			rest = append(rest, a)
		}
	}
	return rest
}

// show writes a ruling the way a person would tell it.
func show(r model.Ruling) string {
	var b strings.Builder
	for _, d := range r.Decisions {
		fmt.Fprintf(&b, "%s: %s %s\n  %s\n", d.App, d.Verdict, d.Reason, d.Message)
		if d.Verdict == model.VerdictGranted {
			for _, g := range d.Grants {
				fmt.Fprintf(&b, "  %s %d in %s\n", g.Component, g.Replicas, g.Pool)
			}
		}
		if d.Refused != nil {
			fmt.Fprintf(&b, "  refused update: %s: %s\n", d.Refused.Reason, d.Refused.Message)
		}
		for _, c := range d.Constraints {
			if !c.OK {
				fmt.Fprintf(&b, "  not met: %s asked %s used %s limit %s short %s %s\n", c.Name, c.Asked, c.Used, c.Limit, c.Short, c.At)
			}
		}
		for _, id := range d.BlockedBy {
			fmt.Fprintf(&b, "  behind: %s\n", id)
		}
		for _, a := range d.Advice {
			fmt.Fprintf(&b, "  would help: %s\n", a)
		}
	}
	for _, q := range r.OverQuota {
		fmt.Fprintln(&b, q)
	}
	return b.String()
}

package arbitration_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
)

// I31. A rejected application fails on exactly what its decision lists: with all
// of that out of the way none of it is listed any more, and with all but one it
// is still rejected for that one.
func TestEveryFailureCounts(t *testing.T) { holds(t, 2, everyFailureCounts) }

func everyFailureCounts(t *rapid.T) {
	s := dressed(t)
	if s.one(2) {
		s.lived(t)
	}
	before := s.Decide()
	for _, d := range before.Decisions {
		if d.Verdict != model.VerdictRejected || s.runs(d.App) {
			continue
		}
		failed := failures(d)
		for keep := -1; keep < len(failed); keep++ {
			o, known := s.clone(), true
			for i, name := range failed {
				if i != keep {
					known = known && o.relax(d.App, name)
				}
			}
			if !known {
				return
			}
			ruling := o.Decide()
			again, _ := ruling.Find(d.App)
			if !slices.Equal(passed(before, d.App), passed(ruling, d.App)) {
				continue // others pass now, and what they take of a quota is another amount
			}
			left := failures(*again)
			for i, name := range failed {
				listed := again.Verdict == model.VerdictRejected && slices.Contains(left, name)
				if i == keep && again.Verdict != model.VerdictRejected && len(again.PassedOver) > 0 {
					listed = again.PassedOver[0].Pool == s.app(d.App).FlavourPools(0)
				}
				if listed != (i == keep) {
					t.Fatalf("%s failed %v; with all but number %d out of the way it is %s and fails %v", d.App, failed, keep, again.Verdict, left)
				}
			}
		}
	}
}

// passed are the other applications of a tenant that pass the gate.
func passed(r model.Ruling, id model.AppID) (apps []model.AppID) {
	for _, d := range r.Decisions {
		if d.App.Tenant == id.Tenant && d.App != id && d.Verdict != model.VerdictRejected {
			apps = append(apps, d.App)
		}
	}
	return apps
}

func failures(d model.Decision) (names []string) {
	for _, c := range d.Constraints {
		name := c.Name
		if strings.HasPrefix(name, "limits.maxShare.") { // one setting for all resources
			name = "limits.maxShare"
		}
		if !c.OK && !strings.HasPrefix(name, "free.") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// relax takes a constraint of the gate out of the way, if it knows how to.
func (s *scene) relax(id model.AppID, name string) bool {
	app := *s.app(id)
	app.Policy = new(*app.Policy)
	var tn *model.Tenant
	for i := range s.Fleet.Tenants {
		if s.Fleet.Tenants[i].Name == id.Tenant {
			tn = &s.Fleet.Tenants[i]
		}
	}
	quota, isQuota := strings.CutPrefix(name, "quota.")
	switch {
	case quota == "applications" && isQuota:
		tn.MaxApplications = 0
	case quota == "workloads" && isQuota:
		tn.MaxWorkloads = 0
	case isQuota:
		if tn.Quota == nil {
			return false
		}
		q := *tn.Quota
		q = q.Add(one(quota, 1<<50))
		tn.Quota = &q
	case name == "priorityCeiling":
		tn.PriorityCeiling, app.Policy.PriorityCeiling = 1<<20, 1<<20
	case name == "budget.costPerHour":
		app.Budget = 0
	case name == "limits.maxShare":
		app.Policy.MaxShare = 0
	default:
		return false
	}
	s.replace(app)
	return true
}

// one is an amount of one resource.
func one(resource string, n int64) model.Resources {
	switch resource {
	case "cpu":
		return model.Resources{CPU: n}
	case "memory":
		return model.Resources{Memory: n}
	}
	return model.Resources{Devices: map[string]int64{resource: n}}
}

// replace changes an application in a clone.
func (s *scene) replace(app model.Application) {
	for i := range s.Fleet.Applications {
		if s.Fleet.Applications[i].ID == app.ID {
			s.Fleet.Applications[i] = new(app.Seal())
		}
	}
}

// I32. Every change that is said to give an application what it lacks does so, as it is
// written for people, one unit less of it does not, and it costs those that are named.
func TestAdviceIsTrue(t *testing.T) { holds(t, 4, adviceIsTrue) }

func adviceIsTrue(t *rapid.T) {
	draw := rapid.SampledFrom([]func(*rapid.T) *scene{dressed, timed}).Draw(t, "draw")
	s := draw(t)
	s.limitPools()
	if s.one(2) {
		s.lived(t)
	}
	for _, d := range s.Decide().Decisions {
		if s.runs(d.App) || d.Verdict == model.VerdictGranted || d.Verdict == model.VerdictEvicted {
			continue
		}
		list, _ := arbitration.Advice(s.Fleet, s.Seen, s.Ledger, s.Now, d.App)
		for _, a := range list {
			s.requireTrue(t, &d, a)
		}
	}
}

// requireTrue follows advice, and then one unit less of each of its parts.
func (s *scene) requireTrue(t *rapid.T, d *model.Decision, a model.Advice) {
	for part := range 1 + strings.Count(a.Text, " and ") + 1 {
		o, less := s.clone(), min(part, 1)
		o.part = part - 1
		o.follow(t, d.App, a.Text, int64(less))
		_, again := arbitration.Solve(solve.Inputs{Fleet: o.Fleet, Seen: o.Seen, Ledger: o.Ledger, Now: o.Now}).Find(d.App)
		if again.Granted() != (less == 0) {
			t.Fatalf("%s: %s: %s; told to %s: %d units less: %s: %s", d.App, d.Verdict, d.Message, a.Text, less, again.Verdict, again.Message)
		}
		if less > 0 {
			continue
		}
		var moved []model.AppID
		for _, v := range again.Victims {
			moved = append(moved, v.App.ID)
		}
		var named []model.AppID
		for _, v := range a.Victims {
			named = append(named, v.App)
		}
		slices.SortFunc(moved, model.AppID.Compare)
		if !slices.Equal(moved, named) {
			t.Fatalf("%s: told to %s: %v are named and %v give way", d.App, a.Text, named, moved)
		}
	}
}

var manual = []struct {
	words  *regexp.Regexp
	follow func(s *scene, app *model.Application, w []string, less int64)
}{
	{regexp.MustCompile(`^run (\S+) with (\d+) replicas instead of \d+$`), func(s *scene, app *model.Application, w []string, less int64) {
		c, _ := app.Component(w[1])
		c.Replicas = int(amount("", w[2]) + less)
	}},
	{regexp.MustCompile(`^request (\S+) (\S+) for each replica of (\S+) instead of \S+$`), func(s *scene, app *model.Application, w []string, less int64) {
		c, _ := app.Component(w[3])
		n := amount(w[2], w[1]) + less*unitOf(w[2])
		c.Requests = c.Requests.Add(one(w[2], n-c.Requests.Get(w[2])))
	}},
	{regexp.MustCompile(`^set priority to (\d+)$`), func(s *scene, app *model.Application, w []string, less int64) {
		to := int(amount("", w[1]))
		if to > app.Priority {
			less = -less
		}
		app.Priority = to + int(less)
	}},
	{regexp.MustCompile(`^give pool (\S+) (.+) more$`), func(s *scene, app *model.Application, w []string, less int64) {
		for i := range s.Seen.Pools {
			if q := &s.Seen.Pools[i]; q.Name == w[1] {
				for k, part := range strings.Split(w[2], " and ") {
					n, name, _ := strings.Cut(part, " ")
					more := amount(name, n)
					if k == s.part {
						more -= less * unitOf(name)
					}
					q.Capacity = q.Capacity.Add(one(name, more))
				}
			}
		}
	}},
	{regexp.MustCompile(`^raise quota\.pools\.(\S+)\.(\S+) of (tenant|group) (\S+) to (\S+)$`), func(s *scene, app *model.Application, w []string, less int64) {
		s.raisePoolQuota(w[4], w[1], w[2], amount(w[2], w[5])-less*unitOf(w[2]))
	}},
	{regexp.MustCompile(`^raise quota\.(\S+) of tenant (\S+) to (\S+)$`), func(s *scene, app *model.Application, w []string, less int64) {
		for i := range s.Fleet.Tenants {
			tn := &s.Fleet.Tenants[i]
			switch to := amount(w[1], w[3]) - less*unitOf(w[1]); {
			case tn.Name != w[2]:
			case w[1] == "applications":
				tn.MaxApplications = int(to)
			case w[1] == "workloads":
				tn.MaxWorkloads = int(to)
			default:
				q := tn.Quota.Add(one(w[1], to-tn.Quota.Get(w[1])))
				tn.Quota = &q
			}
		}
	}},
	{regexp.MustCompile(`^raise quota\.(\S+) of group (\S+) to (\S+)$`), func(s *scene, app *model.Application, w []string, less int64) {
		s.Fleet.Platform.Groups = slices.Clone(s.Fleet.Platform.Groups)
		for i := range s.Fleet.Platform.Groups {
			if g := &s.Fleet.Platform.Groups[i]; g.Name == w[2] && g.Quota != nil {
				q := g.Quota.With(w[1], amount(w[1], w[3])-less*unitOf(w[1]))
				g.Quota = &q
			}
		}
	}},
	{regexp.MustCompile(`^raise guarantee\.(\S+) of tenant (\S+) to (\S+)$`), func(s *scene, app *model.Application, w []string, less int64) {
		for i := range s.Fleet.Tenants {
			if tn := &s.Fleet.Tenants[i]; tn.Name == w[2] {
				tn.Guarantee = tn.Guarantee.With(w[1], amount(w[1], w[3])-less*unitOf(w[1]))
			}
		}
	}},
	{regexp.MustCompile(`^let (\S+) run with (\d+) replicas while capacity is short \(degrade.minReplicas\), it needs \d+ now$`), func(s *scene, app *model.Application, w []string, less int64) {
		c, _ := app.Component(w[1])
		degrade := model.Degrade{MinReplicas: int(amount("", w[2]) + less)}
		if c.Degrade != nil {
			degrade.QoS = c.Degrade.QoS
		}
		c.Degrade = &degrade
	}},
	{regexp.MustCompile(`^run it in pool (\S+) instead of (\S+)$`), func(s *scene, app *model.Application, w []string, less int64) {
		for i := range app.Components {
			if p := &app.Components[i].Placement; p.Pool == w[2] && less == 0 {
				p.Pool = w[1]
			}
		}
	}},
	{regexp.MustCompile(`^add a flavour in pool (\S+), after its others$`), func(s *scene, app *model.Application, w []string, less int64) {
		for i := range app.Components {
			if p := &app.Components[i].Placement; len(p.Flavours) > 0 && less == 0 {
				p.Flavours = append(slices.Clone(p.Flavours), model.Flavour{Pool: w[1]})
			}
		}
	}},
	{regexp.MustCompile(`^leave flavour (\S+) out, `), func(s *scene, app *model.Application, w []string, less int64) {
		for i := range app.Components {
			if p := &app.Components[i].Placement; less == 0 {
				p.Flavours = slices.DeleteFunc(slices.Clone(p.Flavours), func(f model.Flavour) bool { return f.Pool == w[1] && len(p.Flavours) > 1 })
			}
		}
	}},
	{regexp.MustCompile(`^declare expect: "(\S+)" of (\S+), if `), func(s *scene, app *model.Application, w []string, less int64) {
		c, _ := app.Component(w[2])
		if at := slices.Index(timeSteps, w[1]) - int(less); at >= 0 {
			c.Expect, _ = time.ParseDuration(timeSteps[at])
		} else {
			c.Expect = 0
		}
	}},
	{regexp.MustCompile(`^wait: it starts by itself at about (\S+ \S+) UTC if (.+) ends? by then$`), func(s *scene, app *model.Application, w []string, less int64) {
		if less == 0 {
			s.Now, _ = time.Parse("2006-01-02 15:04", w[1])
			ended := func(id model.AppID) bool { return slices.Contains(strings.Split(w[2], ", "), id.String()) }
			s.Fleet.Applications = slices.DeleteFunc(s.Fleet.Applications, func(a *model.Application) bool { return ended(a.ID) })
			s.Ledger.Instances = slices.DeleteFunc(s.Ledger.Instances, func(i model.Instance) bool { return ended(i.App) })
		}
	}},
	{regexp.MustCompile(`^raise budget.costPerHour to (\d+)\.(\d{4})$`), func(s *scene, app *model.Application, w []string, less int64) {
		app.Budget = amount("", w[1])*1e6 + (amount("", w[2])-less)*100
	}},
	{regexp.MustCompile(`^spread (\S+) over (\d+) \S+ instead of \d+$`), func(s *scene, app *model.Application, w []string, less int64) {
		c, _ := app.Component(w[1])
		c.Placement.Spread = &model.Spread{Over: c.Placement.Spread.Over, Min: int(amount("", w[2]) + less)}
	}},
	{regexp.MustCompile(`^let it stand in several (\S+)s where no one has room for all \(placement.together.mode: preferred\)$`), func(s *scene, app *model.Application, w []string, less int64) {
		for i := range app.Components {
			if c := &app.Components[i]; c.Gathers() && less == 0 {
				c.Placement.Together = &model.Together{Over: w[1], Mode: model.TogetherPreferred}
			}
		}
	}},
}

// follow does as it is told, or a little less.
func (s *scene) follow(t interface{ Fatalf(string, ...any) }, id model.AppID, words string, less int64) {
	app := *s.app(id)
	app.Components = append([]model.Component(nil), app.Components...)
	for _, a := range manual {
		if w := a.words.FindStringSubmatch(words); w != nil {
			a.follow(s, &app, w, less)
			s.replace(app)
			return
		}
	}
	t.Fatalf("nobody knows how to %q", words)
}

func unitOf(resource string) int64 {
	if resource == "memory" {
		return 1 << 20
	}
	return 1
}

// amount reads an amount as it is written for people.
func amount(resource, text string) (n int64) {
	switch resource {
	case "cpu":
		n, _ = model.ParseCPU(text)
	case "memory":
		n, _ = model.ParseMemory(text)
	default:
		n, _ = strconv.ParseInt(text, 10, 64)
	}
	return n
}

// I33. Every application has one decision; the shares in it are those of what is
// granted, and what its quota says is used is what the others declare.
func TestCertificatesAreComplete(t *testing.T) { holds(t, 3, certificatesAreComplete) }

func certificatesAreComplete(t *rapid.T) {
	s := dressed(t).lived(t)
	ruling := s.Decide()
	granted, total := map[string]model.Resources{}, model.Resources{}
	for _, q := range s.Seen.Pools {
		total = total.Add(s.offers(q))
	}
	seen := map[model.AppID]bool{}
	for _, d := range ruling.Decisions {
		if seen[d.App] || s.app(d.App) == nil {
			t.Fatalf("%s has two decisions, or is not declared", d.App)
		}
		seen[d.App] = true
		if d.Reason == "" || d.Message == "" {
			t.Fatalf("no reason: %+v", d)
		}
		for _, g := range d.Grants {
			granted[d.App.Tenant] = granted[d.App.Tenant].Add(g.Requests.Times(g.Replicas + g.Surge))
		}
	}
	if len(seen) != len(s.Fleet.Applications) {
		t.Fatalf("%d decisions on %d applications", len(seen), len(s.Fleet.Applications))
	}
	for _, d := range ruling.Decisions {
		for _, share := range d.Shares {
			if share.Of == d.App.Tenant && abs(share.Used-dominant(granted[d.App.Tenant], total)) > 1 { // rounded twice
				t.Fatalf("%s: tenant has %d thousandths, not %d", d.App, dominant(granted[d.App.Tenant], total), share.Used)
			}
		}
		for _, a := range d.Ahead {
			n, resource, _ := strings.Cut(a.Holds, " ")
			o, _ := ruling.Find(a.App)
			if !slices.Contains(heldByPool(o.Grants, resource), amount(resource, n)) {
				t.Fatalf("%s: %s is said to hold %s, and holds %v", d.App, a.App, a.Holds, o.Grants)
			}
		}
		for _, c := range d.Constraints {
			if c.Used != "" && c.OK && c.Name == "quota.cpu" {
				used, asked, limit := amount("cpu", c.Used), amount("cpu", c.Asked), amount("cpu", c.Limit)
				if used+asked > limit {
					t.Fatalf("%s: %+v is said to be met", d.App, c)
				}
			}
		}
	}
}

// heldByPool lists what grants take of a resource in each pool.
func heldByPool(grants []model.Grant, resource string) []int64 {
	sums := map[string]int64{}
	for i := range grants {
		g := &grants[i]
		sums[g.Pool] += g.Requests.Get(resource) * int64(g.Replicas+g.Surge)
	}
	return slices.Collect(maps.Values(sums))
}

func abs(n int) int { return max(n, -n) }

// dominant is the largest share of any resource, in thousandths, rounded.
func dominant(r, total model.Resources) (most int) {
	for _, name := range []string{"cpu", "memory", generate.GPU} {
		if n := total.Get(name); n > 0 {
			most = max(most, int((r.Get(name)*2000+n)/(2*n)))
		}
	}
	return most
}

package turn_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// prober counts the saves of an application of which one component comes by one step.
// Pods take ten seconds to become ready, and probes are answered at once.
type prober struct {
	*runner
	shop    *model.Application // of the example
	good    func(probe int) bool
	step    model.Step
	since   map[model.Digest]time.Time // by workload: when it was told
	down    bool                       // no pod is ready any more
	few     int                        // so many pods are ready; 0: all
	probes  int
	runs    int // saves of the run
	records int // saves of anything of the application
}

func newProber(t *testing.T, step model.Step) *prober {
	r := newRunner(t)
	r.commit("0", example(t))
	i := slices.IndexFunc(r.fleet.Applications, func(a *model.Application) bool { return a.ID == shop })
	return &prober{runner: r, shop: r.fleet.Applications[i], step: step, since: map[model.Digest]time.Time{}, good: func(int) bool { return true }}
}

// release declares the application with an image.
func (p *prober) release(tag string) {
	spec := *p.shop
	web, _ := p.shop.Component("web")
	only := *web
	only.DependsOn, only.Replicas = nil, 8
	only.Properties = bytes.ReplaceAll(only.Properties, []byte("shop:1.4.2"), []byte("shop:"+tag))
	spec.Components, spec.Workflow = []model.Component{only}, &model.Workflow{Steps: []model.Step{p.step}}
	spec = spec.Seal()
	p.fleet.Commit, p.fleet.Applications = tag, []*model.Application{&spec}
}

// pass makes one turn, a second after the one before.
func (p *prober) pass() {
	p.now = p.now.Add(time.Second)
	c := turn.Case{Fleet: p.fleet, Ledger: p.ledger, Tallies: p.tallies, Now: p.now}
	c.Seen.Pools = p.pools()
	told := func(content, digest model.Digest, replicas int, beside bool) {
		if _, known := p.since[digest]; !known {
			p.since[digest] = p.now
		}
		w := model.Workload{App: shop, Component: "web", Digest: digest, Replicas: replicas, Current: true, Beside: beside}
		if p.now.Sub(p.since[digest]) >= 10*time.Second && !p.down {
			w.Ready = replicas
			if p.few > 0 {
				w.Ready = min(p.few, replicas)
			}
		}
		if p.now.Sub(p.since[digest]) >= 3*time.Second && replicas > 0 {
			w.Images = []string{"registry.example.com/shop@sha256:" + string(content)}
		}
		c.Seen.Workloads = append(c.Seen.Workloads, w)
	}
	before, known := p.ledger.Find(shop)
	if known {
		for i := range before.Components {
			s := &before.Components[i]
			told(s.Spec, s.Workload, s.Run, false)
			if b := s.Beside; b != nil {
				told(b.Spec, b.Workload, b.Run, true)
			}
		}
		if before.Run != nil {
			for _, intent := range workflow.Intents(before.Run, before.Spec, p.tallies) {
				p.probes++
				r := workflow.Result{Key: intent.Key, OK: true, Status: 200}
				if !p.good(p.probes) {
					r.Status = 500
				}
				c.Results = append(c.Results, r)
			}
		}
	}
	out := turn.Take(c)
	after, _ := out.Next.Find(shop)
	switch {
	case !known:
	case model.DigestOf(before.Run) != model.DigestOf(after.Run):
		p.runs++
		p.records++
	case model.DigestOf(before) != model.DigestOf(after):
		p.records++
	}
	p.ledger, p.tallies = out.Next, out.Tallies
}

// until makes passes until the run has ended.
func (p *prober) until(phase model.RunPhase) *model.Instance {
	for range 3 * 3600 {
		p.pass()
		if in, ok := p.ledger.Find(shop); ok && in.Run != nil && in.Run.Phase.Ended() && in.Release() == p.fleet.Applications[0].Release {
			require.Equal(p.t, phase, in.Run.Phase, in.Run.Message)
			return in
		}
	}
	in, _ := p.ledger.Find(shop)
	p.t.Fatalf("the run does not end: %s %s", in.Phase, in.Message)
	return nil
}

// fourStages is a canary of an hour.
var fourStages = model.Step{Name: "release", Type: "canary", Components: []string{"web"}, Timeout: 2 * time.Hour, OnFailure: "rollback", Properties: []byte(
	`{"stages":[{"weight":25,"pause":"15m"},{"weight":50,"pause":"15m"},{"weight":75,"pause":"15m"},{"weight":100,"pause":"15m"}],` +
		`"check":{"url":"https://shop.example.com/","every":"2s","times":100,"failures":3}}`)}

// TestCommitsOfACanary: answers to probes are no saves. A canary of four stages that is
// probed every two seconds for an hour saves its stages, and how it ends.
func TestCommitsOfACanary(t *testing.T) {
	p := newProber(t, fourStages)
	p.release("1")
	p.until(model.RunSucceeded)
	for range 120 {
		p.pass()
	}
	began := p.now
	p.probes, p.runs, p.records = 0, 0, 0
	p.release("2")
	p.until(model.RunSucceeded)
	require.GreaterOrEqual(t, p.now.Sub(began), time.Hour)
	require.Greater(t, p.probes, 1000)
	t.Logf("%d probes, %d saves of the run, %d of the application", p.probes, p.runs, p.records)
	require.LessOrEqual(t, p.runs, 6, "four stages, the new version alone, and the end")
	require.LessOrEqual(t, p.records, 8, "and which image the canary runs")
}

// TestAStageThatGoesBadIsSaved: what was ready in a stage that went well, which nothing
// saved, and is not ready any more, is unready in the record at once.
func TestAStageThatGoesBadIsSaved(t *testing.T) {
	p := newProber(t, fourStages)
	p.release("1")
	p.until(model.RunSucceeded)
	p.release("2")
	for p.ledger.Instances[0].Run.Number < 2 || p.ledger.Instances[0].Run.Steps[0].Stage < 1 {
		p.pass()
	}
	records := p.records
	for range 5 * 60 {
		p.pass()
	}
	require.Equal(t, records, p.records, "it goes well")
	inst := &p.ledger.Instances[0]
	require.Equal(t, model.StateStarting, inst.Components[0].State)
	require.True(t, inst.Shown.At.Before(p.now.Add(-time.Minute)))

	p.down = true
	p.pass()
	inst = &p.ledger.Instances[0]
	require.Equal(t, model.StateUnready, inst.Components[0].State)
	require.Zero(t, inst.Shown.Of("web").Ready)
	p.down = false
	p.pass()
	require.Equal(t, model.StateReady, p.ledger.Instances[0].Components[0].State)
}

// TestCountsAreSavedOnceAMinute: a count that changes with every pass, and nothing else, is
// saved once a minute, and the last one is saved in the end.
func TestCountsAreSavedOnceAMinute(t *testing.T) {
	p := newProber(t, fourStages)
	p.release("1")
	p.until(model.RunSucceeded)
	for range 120 { // it is Degraded and NotReady after half a minute
		p.few = 1
		p.pass()
	}
	records := p.records
	for i := range 10 * 60 {
		p.few = 1 + i%3
		p.pass()
	}
	saved := p.records - records
	require.LessOrEqual(t, saved, 11)
	require.GreaterOrEqual(t, saved, 9)
	p.few = 5
	for range 61 {
		p.pass()
	}
	require.Equal(t, 5, p.ledger.Instances[0].Shown.Of("web").Ready)
}

// TestCommitsOfACheck: a check that fails for a while and recovers is saved when it
// begins, and when it ends.
func TestCommitsOfACheck(t *testing.T) {
	p := newProber(t, model.Step{Name: "well", Type: "check", Timeout: time.Hour, OnFailure: "stop", Properties: []byte(
		`{"url":"https://shop.example.com/","every":"2s","times":300,"failures":200}`)})
	p.good = func(probe int) bool { return probe < 100 || probe >= 250 }
	p.release("1")
	p.until(model.RunSucceeded)
	for range 120 {
		p.pass()
	}
	p.probes, p.runs, p.records = 0, 0, 0
	p.release("2")
	p.until(model.RunSucceeded)
	require.Equal(t, 450, p.probes)
	require.Equal(t, 2, p.runs)
	require.LessOrEqual(t, p.records, 3)
}

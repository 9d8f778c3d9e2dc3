package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// carrying is a runtime that has room for everything, takes its time for each set and
// then runs it, but for what is broken. It knows what changes in it.
type carrying struct {
	enteredRuntime
	k       *keeper
	takes   time.Duration
	objects map[string]model.Digest
	changed int // objects that came, changed or went
	running map[model.AppID][]model.Workload
	broken  map[model.AppID]bool
	acted   map[model.AppID]time.Time // when a set was carried out last
	drifted []model.AppID
	failing bool   // each set fails
	silent  bool   // the API server does not answer
	meets   func() // what happens while it acts; nil: nothing
}

// newCarrying returns a keeper whose loop has such a runtime.
func newCarrying(t *testing.T, takes time.Duration) (*keeper, *carrying) {
	k, calls := newEntered(t)
	c := &carrying{
		enteredRuntime: enteredRuntime{calls}, k: k, takes: takes, objects: map[string]model.Digest{},
		running: map[model.AppID][]model.Workload{}, broken: map[model.AppID]bool{}, acted: map[model.AppID]time.Time{},
	}
	restart := k.restart
	k.restart = func(o *Options) {
		restart(o)
		o.Runtime = c
	}
	k.start()
	return k, c
}

func (c *carrying) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	seen, err := c.enteredRuntime.Inspect(ctx, platform)
	size := model.Resources{CPU: 1_000_000, Memory: 1 << 44}
	seen.Pools[0].Capacity, seen.Pools[0].Largest = size, size
	for i := range c.k.loop.saved.Instances {
		id := c.k.loop.saved.Instances[i].App
		for _, w := range c.running[id] {
			if c.broken[id] {
				w.Ready, w.Failure = 0, &model.Failure{Class: "runtime", Reason: "ContainerCrash", ExitCode: 1}
			}
			seen.Workloads = append(seen.Workloads, w)
		}
	}
	return seen, err
}

func (c *carrying) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	return renderer.Act(ctx, list, c.apply)
}

func (c *carrying) apply(ctx context.Context, sets []render.Set) apply.Report {
	if c.meets != nil {
		c.meets()
	}
	if c.silent {
		report := apply.Report{Err: errors.New("no answer"), Sets: make([]apply.SetReport, len(sets))}
		for i := range sets {
			report.Sets[i] = apply.SetReport{App: sets[i].App, Results: []apply.Result{{Ref: apply.Ref{Kind: "Deployment", Name: "web"}, Action: apply.Skipped}}}
		}
		return report
	}
	for i := range sets {
		id := sets[i].App
		c.k.now = c.k.now.Add(c.takes)
		c.acted[id], c.running[id] = c.k.now, nil
		there := map[string]bool{}
		for k := range sets[i].Objects {
			o := &sets[i].Objects[k]
			name := fmt.Sprint(id, " ", o.Object.GetKind(), " ", o.Object.GetName())
			there[name] = true
			if c.objects[name] != o.Digest {
				c.changed++
			}
			c.objects[name] = o.Digest
			digest, _, runs := strings.Cut(o.Object.GetAnnotations()[render.AnnotationWorkload], ".")
			w := model.Workload{App: id, Component: o.Component, Digest: model.Digest(digest), Replicas: 1, Ready: 1, Current: true}
			if intent := o.Object.GetAnnotations()[render.AnnotationIntent]; intent != "" {
				w = model.Workload{App: id, Component: o.Component, Intent: intent, Done: true}
			} else if !runs {
				continue
			}
			c.running[id] = append(c.running[id], w)
		}
		for name := range c.objects {
			if strings.HasPrefix(name, id.String()+" ") && !there[name] {
				delete(c.objects, name)
				c.changed++
			}
		}
	}
	report := c.enteredRuntime.apply(ctx, sets)
	for i := range report.Sets {
		if c.failing {
			report.Sets[i].Results = []apply.Result{{Ref: apply.Ref{Kind: "Deployment", Name: "web"}, Action: apply.Failed}}
		}
	}
	return report
}

func (c *carrying) Drifted() []model.AppID { return c.drifted }

// worker writes an application of one component, with a workflow behind it, which may
// run a job.
func (k *keeper) worker(name, tag, workflow string) {
	job := ""
	if strings.Contains(workflow, `"migrate"`) {
		job = fmt.Sprintf(`migrate: {type: "job", properties: image: "registry.example.com/migrate:%s", resources: requests: {cpu: "10m", memory: "16Mi"}}`, tag)
	}
	k.Write("tenants/acme/apps/"+name+"/app.cue", fmt.Sprintf(`package fleet

application: {
	name: %q
	components: {
		web: {type: "worker", properties: image: "registry.example.com/web:%[2]s", resources: requests: {cpu: "10m", memory: "16Mi"}}
		%[3]s
	}
	%[4]s
}
`, name, tag, job, workflow))
}

// settle makes passes until one changes nothing and leaves nothing.
func (k *keeper) settle() {
	k.t.Helper()
	for range 30 {
		k.now = k.now.Add(5 * time.Second)
		r, err := k.loop.Pass(k.t.Context())
		require.NoError(k.t, err)
		require.Empty(k.t, r.Problems)
		if !r.Changed() && r.Left == 0 {
			return
		}
	}
	require.Fail(k.t, "the fleet does not settle")
}

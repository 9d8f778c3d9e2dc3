package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
)

// scenario is an input of the renderer in a few lines of YAML.
type scenario struct {
	Tenant, App, Namespace, Prefix, Commit string
	Instance                               int
	Kinds, Registries, Rights              []string
	Reading, RuntimeClasses                []string
	HostProcess                            bool
	Existing                               model.Existing
	Pools                                  []model.PoolSpec
	Components                             []scenarioComponent
	Previous                               []scenarioComponent
	Phase                                  model.Phase // default Scheduled; of one that ended only what is listed in Keeps is kept
	Keeps                                  []string
	Grace, Deletion                        string
	MaxReplicas                            int
	Locked                                 bool
	Workflow                               *model.Workflow
	PreviousWorkflow                       *model.Workflow
	Jobs                                   []scenarioJob
}

// scenarioJob is the job of a step, of the spec before if Previous is set.
type scenarioJob struct {
	Key, Component, Lock string
	Inputs               []model.Value
	Previous, Keep       bool
}

// scenarioBeside is the newer version of a component, of the accepted spec.
type scenarioBeside struct {
	Run     int
	Traffic model.Traffic
}

type scenarioComponent struct {
	Name, Type, OS, Runtime, QoS, Pool, State string
	Replicas                                  int
	Run                                       *int
	Hold                                      bool
	Before                                    bool // it still runs in the version of the spec before
	Beside                                    *scenarioBeside
	Requests, Limits                          map[string]string
	Spread                                    *model.Spread
	Together                                  *model.Together
	Domains                                   []string // of the grant
	Properties, Traits                        map[string]any
	Connects                                  []string
	Source                                    model.Digest
}

func readScenario(t testing.TB, text []byte) scenario {
	s := scenario{Tenant: "acme", App: "shop", Instance: 1, Commit: "1111111111111111111111111111111111111111"}
	require.NoError(t, yaml.UnmarshalStrict(text, &s))
	return s
}

func (s scenario) input(t testing.TB, files fs.FS) Input {
	policy := model.Policy{
		Kinds: s.Kinds, Registries: s.Registries, Namespace: "tenant", StartDeadline: 10 * time.Minute,
		MaxReplicas: s.MaxReplicas, MaxGrace: 10 * time.Minute, Existing: s.Existing, Rights: s.Rights,
		Reading: s.Reading, RuntimeClasses: s.RuntimeClasses, HostProcess: s.HostProcess,
	}
	if s.Namespace != "" {
		policy.Namespace = s.Namespace
	}
	id := model.AppID{Tenant: s.Tenant, Name: s.App}
	instance := &model.Instance{App: id, Number: s.Instance, Phase: model.PhaseScheduled}
	if s.Phase != "" {
		instance.Phase = s.Phase
	}
	policy.Deletion = model.Deletion(s.Deletion)
	grace, err := time.ParseDuration(cmp.Or(s.Grace, "0s"))
	require.NoError(t, err)
	spec := func(from []scenarioComponent, flow *model.Workflow) *model.Application {
		app := model.Application{
			ID: id, Policy: &policy, Commit: s.Commit, Workflow: flow,
			Lifecycle: model.Lifecycle{Grace: grace, Deletion: model.Deletion(s.Deletion)},
		}
		for _, c := range from {
			app.Components = append(app.Components, c.component(t))
		}
		app = app.Seal()
		return &app
	}
	instance.Spec = spec(s.Components, s.Workflow)
	if s.Previous != nil {
		instance.Previous = spec(s.Previous, s.PreviousWorkflow)
		for i, c := range instance.Previous.Components {
			instance.PreviousGrants = append(instance.PreviousGrants, model.Grant{
				Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: s.Previous[i].Pool,
			})
		}
	}
	for i, c := range s.Components {
		mc := instance.Spec.Components[i]
		run := mc.Replicas
		if c.Run != nil {
			run = *c.Run
		}
		instance.Components = append(instance.Components, model.ComponentState{
			Grant: model.Grant{Component: mc.Name, Replicas: mc.Replicas, Requests: mc.Requests, QoS: mc.QoS, Pool: c.Pool, Domains: c.Domains},
			Run:   run, State: model.State(c.State), Hold: c.Hold,
		})
	}
	for i := range instance.Components {
		c, state := s.Components[i], &instance.Components[i]
		newest := instance.Spec.Components[i].Content(id)
		switch {
		case c.Before:
			old, ok := instance.Previous.Component(c.Name)
			require.True(t, ok)
			state.Spec = old.Content(id)
		case !c.Hold && state.State != model.StateDone:
			state.Spec = newest
		}
		if b := c.Beside; b != nil {
			state.Beside = &model.Beside{Spec: newest, Run: b.Run, Traffic: b.Traffic}
		}
	}
	if instance.Phase == model.PhaseTerminated {
		for i := range instance.Components {
			instance.Components[i].Hold, instance.Components[i].State = true, model.StateEnding
		}
		instance.Components = slices.DeleteFunc(instance.Components, func(state model.ComponentState) bool {
			return !slices.Contains(s.Keeps, state.Grant.Component)
		})
	}
	var jobs []StepJob
	for _, j := range s.Jobs {
		job := StepJob{Key: j.Key, Component: j.Component, Spec: instance.Spec.Release, Inputs: j.Inputs, Lock: j.Lock, Keep: j.Keep}
		if j.Previous {
			job.Spec = instance.Previous.Release
		}
		jobs = append(jobs, job)
	}
	var built Builds
	if files != nil {
		built, err = Builder{Prefix: s.Prefix}.Build(instance.Spec, files)
		require.NoError(t, err)
	}
	tenant := &model.Tenant{Name: s.Tenant, Policy: policy}
	var network model.Network
	if s.Locked {
		tenant.Isolation, tenant.PodSecurity = model.IsolationLocked, model.PodSecurityRestricted
		network.Links = [][2]string{{"acme", "globex"}}
	}
	return Input{
		Network: network, Tenant: tenant,
		Jobs: jobs, Fleet: "example", Prefix: s.Prefix, Instance: instance, Pools: s.Pools, Builds: built,
	}
}

func (c scenarioComponent) component(t testing.TB) model.Component {
	mc := model.Component{
		Name: c.Name, Type: c.Type, OS: c.OS, Runtime: c.Runtime, QoS: c.QoS, Replicas: c.Replicas, Connects: c.Connects, Source: c.Source,
		Requests: amounts(t, c.Requests), Limits: amounts(t, c.Limits), Placement: model.Placement{Spread: c.Spread, Together: c.Together},
	}
	if mc.Replicas == 0 && mc.Runs() {
		mc.Replicas = 1
	}
	if c.Properties != nil {
		mc.Properties = encode(t, c.Properties)
	}
	if c.Traits != nil {
		mc.Traits = encode(t, c.Traits)
	}
	return mc
}

func encode(t testing.TB, v any) json.RawMessage {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

func amounts(t testing.TB, m map[string]string) (r model.Resources) {
	for name, text := range m {
		var err error
		switch name {
		case "cpu":
			r.CPU, err = model.ParseCPU(text)
		case "memory":
			r.Memory, err = model.ParseMemory(text)
		default:
			var n int64
			_, err = fmt.Sscan(text, &n)
			r = r.Add(model.Resources{Devices: map[string]int64{name: n}})
		}
		require.NoError(t, err)
	}
	return r
}

// files returns what an archive has below app/.
func files(a *txtar.Archive) fs.FS {
	tree := fstest.MapFS{}
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, "app/"); ok {
			tree[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	if len(tree) == 0 {
		return nil
	}
	return tree
}

// text writes a set for people.
func asText(t testing.TB, set Set) string {
	var b strings.Builder
	for _, o := range set.Objects {
		fmt.Fprintf(&b, "# component %q, stage %d", o.Component, o.Stage)
		if o.Keep {
			b.WriteString(", kept as it is")
		}
		y, err := yaml.JSONToYAML(o.JSON)
		require.NoError(t, err)
		fmt.Fprintf(&b, "\n%s---\n", y)
	}
	return b.String()
}

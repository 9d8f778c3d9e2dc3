package render

import (
	"encoding/json"
	"fmt"
	"io/fs"
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
	Kinds, Registries                      []string
	Pools                                  []model.PoolSpec
	Components                             []scenarioComponent
	Previous                               []scenarioComponent
}

type scenarioComponent struct {
	Name, Type, OS, Runtime, QoS, Pool, State string
	Replicas                                  int
	Run                                       *int
	Hold                                      bool
	Requests, Limits                          map[string]string
	Spread                                    *model.Spread
	Properties, Traits                        map[string]any
}

func readScenario(t testing.TB, text []byte) scenario {
	s := scenario{Tenant: "acme", App: "shop", Instance: 1, Commit: "1111111111111111111111111111111111111111"}
	require.NoError(t, yaml.UnmarshalStrict(text, &s))
	return s
}

func (s scenario) input(t testing.TB, files fs.FS) Input {
	policy := model.Policy{
		Kinds: s.Kinds, Registries: s.Registries, Namespace: "tenant", StartDeadline: 10 * time.Minute,
	}
	if s.Namespace != "" {
		policy.Namespace = s.Namespace
	}
	id := model.AppID{Tenant: s.Tenant, Name: s.App}
	instance := &model.Instance{App: id, Number: s.Instance, Phase: model.Scheduled}
	spec := func(from []scenarioComponent) *model.Application {
		app := model.Application{ID: id, Policy: policy, Commit: s.Commit}
		for _, c := range from {
			app.Components = append(app.Components, c.component(t))
		}
		app = app.Seal()
		return &app
	}
	instance.Spec = spec(s.Components)
	if s.Previous != nil {
		instance.Previous = spec(s.Previous)
	}
	for i, c := range s.Components {
		mc := instance.Spec.Components[i]
		run := mc.Replicas
		if c.Run != nil {
			run = *c.Run
		}
		instance.Components = append(instance.Components, model.ComponentState{
			Grant: model.Grant{Component: mc.Name, Replicas: mc.Replicas, Requests: mc.Requests, QoS: mc.QoS, Pool: c.Pool},
			Run:   run, State: c.State, Hold: c.Hold,
		})
	}
	return Input{
		Fleet: "example", Prefix: s.Prefix, Instance: instance, Pools: s.Pools, Files: files,
		Tenant: &model.Tenant{Name: s.Tenant, Policy: policy},
	}
}

func (c scenarioComponent) component(t testing.TB) model.Component {
	mc := model.Component{
		Name: c.Name, Type: c.Type, OS: c.OS, Runtime: c.Runtime, QoS: c.QoS, Replicas: c.Replicas,
		Requests: amounts(t, c.Requests), Limits: amounts(t, c.Limits), Placement: model.Placement{Spread: c.Spread},
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
func text(t testing.TB, set Set) string {
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

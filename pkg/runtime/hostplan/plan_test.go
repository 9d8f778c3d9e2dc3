package hostplan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func example() Plan {
	work := func(component string) Workload {
		return Workload{
			Key: Key{App: model.AppID{Tenant: "acme", Name: "shop"}, Component: component}, Digest: "d", Replicas: 2, Hosts: []Place{{Host: "h1", Replicas: 2}}, QoS: "burstable",
			Program: Program{Command: []string{"/bin/sh", "-c", "x"}, Env: map[string]string{"A": "b"}, StopSignal: "SIGINT"},
		}
	}
	return Plan{Fleet: "f", Pool: "hosts", Generation: 1, Workloads: []Workload{work("db"), work("web")}}
}

// TestPlans: what is written is read back, and what no reconciler writes is refused in a sentence.
func TestPlans(t *testing.T) {
	good := example()
	data, err := good.Encode()
	require.NoError(t, err)
	again, err := ParsePlan(data)
	require.NoError(t, err)
	require.Equal(t, good, again)
	require.Equal(t, 2, again.Workloads[1].On("h1"))

	for want, change := range map[string]func(p *Plan){
		"stands twice or out of order": func(p *Plan) { p.Workloads[0], p.Workloads[1] = p.Workloads[1], p.Workloads[0] },
		"named by no tenant":           func(p *Plan) { p.Workloads[1].Component = "web/../x" },
		"generation 0":                 func(p *Plan) { p.Generation = 0 },
		`pool "../x"`:                  func(p *Plan) { p.Pool = "../x" },
		"replicas on 1 hosts":          func(p *Plan) { p.Workloads[0].Replicas = 1 << 30 },
		"host h1 has 0 replicas":       func(p *Plan) { p.Workloads[0].Hosts[0].Replicas = 0 },
		"a command of 0 parts":         func(p *Plan) { p.Workloads[0].Program.Command = nil },
		"zero byte":                    func(p *Plan) { p.Workloads[0].Program.Command[2] = "a\x00b" },
		"a variable has no name":       func(p *Plan) { p.Workloads[0].Program.Env["A=B"] = "" },
		`stop signal "SIGKILL"`:        func(p *Plan) { p.Workloads[0].Program.StopSignal = "SIGKILL" },
		"grace is -1":                  func(p *Plan) { p.Workloads[0].Program.Grace = -1 },
		"logs.files is 21":             func(p *Plan) { p.Workloads[0].Program.Logs.Files = 21 },
		"less than nothing":            func(p *Plan) { p.Workloads[0].Requests.CPU = -1 },
	} {
		bad := example()
		change(&bad)
		data, err := bad.Encode()
		require.NoError(t, err)
		_, err = ParsePlan(data)
		require.ErrorContains(t, err, want)
	}
	_, err = ParsePlan(append(data, '{', '}'))
	require.ErrorContains(t, err, "something follows the document")
	_, err = ParseReport(data)
	require.Error(t, err)
}

// TestIdentity: only what a running program cannot take over starts it anew.
func TestIdentity(t *testing.T) {
	before := example().Workloads[0].Program
	after := before
	after.Grace, after.StopSignal, after.Logs = 7, "SIGHUP", Logs{Files: 2}
	require.Equal(t, before.Identity(), after.Identity())
	after.Limits.Memory = 1
	require.NotEqual(t, before.Identity(), after.Identity())
}

// FuzzDocuments: nothing that is read makes a reader fail otherwise than with an error, and what it
// takes is written and taken again.
func FuzzDocuments(f *testing.F) {
	p := example()
	data, err := p.Encode()
	require.NoError(f, err)
	f.Add(data)
	r := Report{Host: "h1", Pool: "hosts", Processes: []Process{{Key: p.Workloads[0].Key, State: Running, Exit: &Exit{Code: 1}}}}
	data, err = r.Encode()
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := ParsePlan(data); err == nil {
			again, err := p.Encode()
			require.NoError(t, err)
			_, err = ParsePlan(again)
			require.NoError(t, err, "%s", again)
		}
		if r, err := ParseReport(data); err == nil {
			_, err := r.Encode()
			require.NoError(t, err)
		}
	})
}

package runtimetest

import (
	"errors"
	"testing"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// TestMemory: the runtime in memory keeps to the contract, by itself and behind a Mux.
func TestMemory(t *testing.T) {
	of := carrier.Carrier{Name: "memory", Carried: []carrier.Kind{{Runtime: "process", OS: "linux"}}}
	machine := NewMachine(model.Resources{CPU: 8000, Memory: 32 << 30})
	open := func(testing.TB) runtime.Adapter { return NewMemory(of, "hosts", machine) }
	Run(t, Subject{
		Open: open,
		Behind: func(t testing.TB) (runtime.Adapter, func(bool)) {
			return open(t), func(cut bool) {
				if machine.Fail(nil); cut {
					machine.Fail(errors.New("the machine is away"))
				}
			}
		},
		Tenant: model.Tenant{Name: "acme"}, Platform: &model.Platform{Pools: []model.PoolSpec{{Name: "hosts"}}},
		Program:  model.Component{Type: "worker", Runtime: "process", OS: "linux", Requests: model.Resources{CPU: 100, Memory: 64 << 20}},
		Crashing: []byte(`{"exit":3}`), ExitCode: 3,
		Interfere: func(_ testing.TB, app model.AppID, component string) { machine.Interfere(app, component) },
	})
}

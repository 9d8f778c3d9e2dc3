package runtime

import (
	"context"

	"github.com/d-aros/d-aros/pkg/model"
)

// Adapter is one runtime. It keeps no state that it could not observe again after a restart.
// Its methods but Close are called one after the other, except that the Mux may call the others
// while Act or Inspect hangs.
type Adapter interface {
	// Name is what people call the runtime.
	Name() string
	// Carries returns why the adapter does not carry a component in a pool, nil if it does. It
	// is arithmetic. Pool is nil where none is granted.
	Carries(c *model.Component, pool *model.PoolSpec) error
	// Act makes the runtime hold what the assignments say, each with the components that the
	// adapter carries. It is idempotent, touches nothing of other applications and tenants, and
	// has one outcome for each assignment.
	Act(ctx context.Context, list []Assignment) Report
	// Inspect returns the capacity of the pools of a platform, zero for those that the runtime
	// does not have, and the state of the workloads that the adapter carries.
	Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error)
	// Drifted returns, in order, the applications of which others changed something since the
	// last call. Name is "" for what a tenant's applications share.
	Drifted() []model.AppID
	// Changed gets a value after a change that the next Inspect or Drifted reports. Many
	// changes may share one value.
	Changed() <-chan struct{}
	// Close ends what the adapter does, and waits for it. What runs keeps running, unless it runs
	// in children of this process. It may be called again.
	Close()
}

package wasm

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// Options of a Runtime.
type Options struct {
	Launcher []string      // command of a process that calls Launch
	Env      []string      // variables of that process
	Logs     string        // directory of the output of modules, "": it is lost
	Backoff  time.Duration // before a module is started again for the first time, default 1 s
	Steady   time.Duration // after which a module that runs is ready, default 1 s
}

// Runtime runs modules on this machine. Close ends them: they are this process's own.
type Runtime struct {
	runtime.Base
	o Options

	mu    sync.Mutex
	parts map[model.PartKey]*part
}

// New returns a runtime that runs nothing yet.
func New(o Options) *Runtime {
	o.Backoff, o.Steady = cmp.Or(o.Backoff, time.Second), cmp.Or(o.Steady, time.Second)
	return &Runtime{Base: runtime.NewBase(carrier.Wasm), o: o, parts: map[model.PartKey]*part{}}
}

// Act has the modules run that the assignments name, and no others of their applications.
func (r *Runtime) Act(ctx context.Context, list []runtime.Assignment) (report runtime.Report) {
	report = runtime.NewReport(list)
	for i := range list {
		if report.Err == nil {
			report.Err = ctx.Err()
		}
		if report.Err == nil && !list[i].IsShared() {
			r.change(func() { report.Outcomes[i] = r.hold(&list[i]) })
		}
	}
	return report
}

// change changes what runs, and tells of it.
func (r *Runtime) change(what func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	what()
	r.Tell()
}

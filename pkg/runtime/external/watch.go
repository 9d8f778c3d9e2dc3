package external

import (
	"context"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// maxWhy is the limit of why something is not well, in bytes.
const maxWhy = 300

// watch asks one question again and again.
type watch struct {
	question question
	stop     context.CancelFunc

	// What the answers came to, under the lock of the Runtime.
	answered bool
	well     bool
	why      string
	failed   int // questions in a row
}

// watch begins to ask.
func (r *Runtime) watch(tenant string, q question) *watch {
	ctx, stop := context.WithCancel(r.Ctx)
	w := &watch{question: q, stop: stop, answered: q.run == 0}
	if r.Tell(); q.run == 0 {
		return w
	}
	places := r.tenants[tenant]
	if places == nil {
		places = make(chan struct{}, maxTenantQuestions)
		r.tenants[tenant] = places
	}
	r.Busy.Go(func() {
		defer stop()
		for r.ask(ctx, w, places) {
			runtime.Pause(ctx, q.interval)
		}
	})
	return w
}

// ask asks once, when there is a place for the question among those of its tenant and of all.
func (r *Runtime) ask(ctx context.Context, w *watch, tenant chan struct{}) (goOn bool) {
	for _, places := range []chan struct{}{tenant, r.places} {
		select {
		case <-ctx.Done():
			return false
		case places <- struct{}{}:
			defer func() { <-places }()
		}
	}
	limited, cancel := context.WithTimeout(ctx, w.question.timeout)
	defer cancel()
	err := r.probe(limited, w.question.address, w.question.hosts)
	if ctx.Err() != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.note(err) {
		r.Tell()
	}
	return true
}

// note takes an answer in, and reports whether it changes what is shown.
func (w *watch) note(err error) (changed bool) {
	answered, well, why := w.answered, w.well, w.why
	if w.answered = true; err == nil {
		w.well, w.why, w.failed = true, "", 0
	} else if w.failed++; !w.well || w.failed >= w.question.failures {
		w.well, w.why = false, text.Line(err.Error(), maxWhy)
	}
	return !answered || well != w.well || why != w.why
}

// workload returns what is shown, false before the first answer.
func (w *watch) workload() (model.Workload, bool) {
	shown := model.Workload{Digest: w.question.workload, Replicas: w.question.run, Current: true, Why: w.why}
	if w.well {
		shown.Ready = shown.Replicas
	}
	return shown, w.answered
}

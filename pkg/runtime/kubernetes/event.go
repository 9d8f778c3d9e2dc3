package kubernetes

import (
	"context"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// events writes a bounded number of Kubernetes events, one after the other. A lost event is
// no error: the ledger has it.
type events struct {
	*runtime.Background
	core  v1.EventsGetter
	queue chan *corev1.Event

	mu    sync.Mutex
	rates rates
}

const (
	maxEvents  = 1000             // that wait to be written
	writeTime  = 10 * time.Second // of one event
	lastWrites = 2 * time.Second  // of all that wait when the process ends
	tellLeft   = time.Minute      // between two events about those that are left out of a namespace
)

func newEvents(core v1.EventsGetter) *events {
	e := &events{Background: runtime.NewBackground(), core: core, queue: make(chan *corev1.Event, maxEvents), rates: rates{}}
	e.Busy.Go(e.run)
	return e
}

// run writes events until Close, and then what waits, for a moment at most.
func (e *events) run() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	defer context.AfterFunc(e.Ctx, func() { time.AfterFunc(lastWrites, stop) })()
	minute := time.NewTicker(tellLeft)
	defer minute.Stop()
	for {
		select {
		case event := <-e.queue:
			e.write(ctx, event)
		case <-minute.C:
			e.tellLeftOut(ctx)
		case <-e.Ctx.Done():
			for len(e.queue) > 0 {
				e.write(ctx, <-e.queue)
			}
			e.tellLeftOut(ctx)
			return
		}
	}
}

// write creates an event. If there is one of that name, it is the same event, which
// somebody has written before.
func (e *events) write(ctx context.Context, event *corev1.Event) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	_, _ = e.core.Events(event.Namespace).Create(ctx, event, metav1.CreateOptions{})
}

// tellLeftOut writes how many events each namespace lacks.
func (e *events) tellLeftOut(ctx context.Context) {
	e.mu.Lock()
	left := e.rates.leftOut(time.Now())
	e.mu.Unlock()
	for _, event := range left {
		e.write(ctx, event)
	}
}

// take puts an event into the queue, or counts it among those that are left out.
func (e *events) take(event *corev1.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Ctx.Err() != nil || !e.rates.allow(event, time.Now()) {
		return
	}
	select {
	case e.queue <- event:
	default:
		e.rates.leave(event)
	}
}

// Event writes an event about an instance into its namespace. Without an instance it is about the
// fleet, and stands beside the ConfigMap that remembers its ledger. It does not wait and
// does not fail. Its name is that of the announcement, so that there is one, whoever
// repeats it.
func (r *Runtime) Event(ctx context.Context, about *model.Instance, e announce.Event) {
	if ctx.Err() != nil {
		return
	}
	object := corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Name: r.anchorName(), Namespace: r.o.Namespace}
	if about != nil {
		namespace := render.Namespace(r.renderer.Prefix, about.App, about.Spec.Policy.Namespace)
		object = corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: namespace, Namespace: namespace}
	}
	r.events.take(newEvent(object, strings.ReplaceAll(e.Key, "/", "."), e))
}

// newEvent returns the event of a name.
func newEvent(about corev1.ObjectReference, name string, e announce.Event) *corev1.Event {
	kind := corev1.EventTypeNormal
	if e.Warning {
		kind = corev1.EventTypeWarning
	}
	at := metav1.NewTime(e.At)
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: about.Namespace}, InvolvedObject: about,
		Type: kind, Reason: text.Line(e.Reason, maxReason), Message: text.Line(e.Text, maxSentence),
		Source: corev1.EventSource{Component: "d-aros"}, FirstTimestamp: at, LastTimestamp: at, Count: 1,
	}
}

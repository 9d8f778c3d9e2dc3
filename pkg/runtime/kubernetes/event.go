package kubernetes

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"

	"github.com/d-aros/d-aros/pkg/text"
)

// events writes a bounded number of Kubernetes events, and counts repeated ones
// instead of writing them again. A lost event is no error: the ledger has it.
type events struct {
	broadcaster record.EventBroadcaster
	recorder    record.EventRecorder
}

func newEvents(core v1.EventsGetter) *events {
	b := record.NewBroadcasterWithCorrelatorOptions(record.CorrelatorOptions{QPS: 1. / 10, BurstSize: 50})
	b.StartRecordingToSink(&v1.EventSinkImpl{Interface: core.Events("")})
	return &events{broadcaster: b, recorder: b.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "d-aros"})}
}

func (e *events) close() { e.broadcaster.Shutdown() }

// Event writes an event about an application into a namespace. It does not wait and
// does not fail; excess events are dropped.
func (r *Runtime) Event(ctx context.Context, namespace string, warning bool, reason, message string) {
	if ctx.Err() != nil {
		return
	}
	kind := corev1.EventTypeNormal
	if warning {
		kind = corev1.EventTypeWarning
	}
	about := &corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: namespace, Namespace: namespace}
	r.events.recorder.Event(about, kind, text.Line(reason, maxReason), text.Line(message, maxSentence))
}

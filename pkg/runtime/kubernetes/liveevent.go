package kubernetes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// mostLiveEvents bounds the events of an answer.
const mostLiveEvents = 200

// eventsOf returns what was told about some objects, the newest first. A namespace has the events of its other applications,
// too, which are left out.
func eventsOf(objects, events []*unstructured.Unstructured) []runtime.LiveEvent {
	known := map[string]bool{}
	for _, u := range objects {
		known[string(u.GetUID())] = true
	}
	list := []runtime.LiveEvent{}
	for _, e := range events {
		if !known[stringAt(e, "involvedObject", "uid")] {
			continue
		}
		list = append(list, runtime.LiveEvent{
			Object:  text.Line(stringAt(e, "involvedObject", "kind")+" "+stringAt(e, "involvedObject", "name"), maxSentence),
			Warning: stringAt(e, "type") == "Warning",
			Reason:  text.Line(stringAt(e, "reason"), maxReason), Message: text.Line(stringAt(e, "message"), maxSentence),
			Count: max(1, number(e, 1, "count"), number(e, 1, "series", "count")), Last: lastOf(e),
		})
	}
	slices.SortFunc(list, func(a, b runtime.LiveEvent) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.Object, b.Object), strings.Compare(a.Reason, b.Reason), strings.Compare(a.Message, b.Message))
	})
	return list[:min(len(list), mostLiveEvents)]
}

// lastOf returns when an event was last seen.
func lastOf(e *unstructured.Unstructured) time.Time {
	return timeOf(cmp.Or(stringAt(e, "series", "lastObservedTime"), stringAt(e, "lastTimestamp"), stringAt(e, "eventTime"), stringAt(e, "metadata", "creationTimestamp")))
}

// oldestEvent returns the event that was seen first.
func oldestEvent(events map[types.UID]*unstructured.Unstructured) (oldest types.UID) {
	var when time.Time
	for uid, e := range events {
		if last := lastOf(e); oldest == "" || last.Before(when) {
			oldest, when = uid, last
		}
	}
	return oldest
}

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
		if !known[str(e.Object, "involvedObject", "uid")] {
			continue
		}
		list = append(list, runtime.LiveEvent{
			Object:  text.Line(str(e.Object, "involvedObject", "kind")+" "+str(e.Object, "involvedObject", "name"), maxSentence),
			Warning: str(e.Object, "type") == "Warning",
			Reason:  text.Line(str(e.Object, "reason"), maxReason), Message: text.Line(str(e.Object, "message"), maxSentence),
			Count: max(1, integer(e.Object, 1, "count"), integer(e.Object, 1, "series", "count")), Last: lastOf(e),
		})
	}
	slices.SortFunc(list, func(a, b runtime.LiveEvent) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.Object, b.Object), strings.Compare(a.Reason, b.Reason), strings.Compare(a.Message, b.Message))
	})
	return list[:min(len(list), mostLiveEvents)]
}

// lastOf returns when an event was last seen.
func lastOf(e *unstructured.Unstructured) time.Time {
	return timeOf(cmp.Or(str(e.Object, "series", "lastObservedTime"), str(e.Object, "lastTimestamp"), str(e.Object, "eventTime"), str(e.Object, "metadata", "creationTimestamp")))
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

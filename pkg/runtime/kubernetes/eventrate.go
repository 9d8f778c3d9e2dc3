package kubernetes

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/announce"
)

// rates bound the events of each namespace, and count those that are left out.
type rates map[string]*rateOf

// rateOf is what a namespace has had of late.
type rateOf struct {
	*rate.Limiter
	left  int
	first *corev1.Event // that was left out, and that no event tells of yet
}

// A namespace gets so many events at once, and then one each time.
const (
	burst = 50
	pause = 10 * time.Second
)

// allow reports whether there is room for an event, and counts it if there is none.
func (r rates) allow(event *corev1.Event, now time.Time) bool {
	if r[event.Namespace] == nil {
		r[event.Namespace] = &rateOf{Limiter: rate.NewLimiter(rate.Every(pause), burst)}
	}
	if r[event.Namespace].AllowN(now, 1) {
		return true
	}
	r.leave(event)
	return false
}

// leave counts an event that is left out.
func (r rates) leave(event *corev1.Event) {
	n := r[event.Namespace]
	if n.left++; n.first == nil {
		n.first = event
	}
}

// leftOut returns an event for each namespace of which some were left out since the last
// one, and forgets the namespaces that have all their room again.
func (r rates) leftOut(now time.Time) (list []*corev1.Event) {
	for _, namespace := range slices.Sorted(maps.Keys(r)) {
		n := r[namespace]
		switch {
		case n.left > 0:
			// Named for the first one that it stands for: nobody else tells of that.
			list = append(list, newEvent(n.first.InvolvedObject, n.first.Name+".more", announce.Event{
				At: now, Reason: "AnnouncementsLeftOut",
				Text: fmt.Sprintf(`%d more announcements of namespace %s are left out; see "reconciler events"`, n.left, namespace),
			}))
			n.left, n.first = 0, nil
		case n.TokensAt(now) >= burst:
			delete(r, namespace)
		}
	}
	return list
}

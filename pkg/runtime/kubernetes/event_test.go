package kubernetes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/texttest"
)

// TestEventsAreLines: the reason and the message of an event are what tenants, pods and the API server say.
func TestEventsAreLines(t *testing.T) {
	r := &Runtime{events: &events{Background: runtime.NewBackground(), queue: make(chan *corev1.Event, 1), rates: rates{}}}
	for _, s := range texttest.Corpus() {
		r.events.rates = rates{}
		r.Event(t.Context(), &model.Instance{App: model.AppID{Tenant: "acme"}, Spec: &model.Application{Policy: &model.Policy{}}}, announce.Event{Key: "l/acme/shop/1-1", Reason: s, Text: s, Warning: true})
		event := <-r.events.queue
		shown := event.Type + " " + event.Reason + " " + event.Message
		texttest.Line(t, shown, len("Warning ")+maxReason+1+maxSentence)
		require.Equal(t, strings.Contains(s, "head"), strings.Contains(shown, "head"))
	}
}

// TestWhatIsLeftOutIsCounted: beyond the rate of a namespace, one event says how many are
// left out, and other namespaces have theirs.
func TestWhatIsLeftOutIsCounted(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	event := func(namespace string, n int) *corev1.Event {
		return newEvent(corev1.ObjectReference{Kind: "Namespace", Name: namespace, Namespace: namespace}, fmt.Sprintf("l.acme.shop.7-%d", n), announce.Event{At: at, Reason: "Ready"})
	}
	r := rates{}
	written := 0
	for i := range 90 {
		if r.allow(event("acme", i+1), at) {
			written++
		}
	}
	require.Equal(t, burst, written)
	require.True(t, r.allow(event("globex", 1), at))
	left := r.leftOut(at.Add(tellLeft))
	require.Len(t, left, 1)
	require.Equal(t, "acme/l.acme.shop.7-51.more", left[0].Namespace+"/"+left[0].Name)
	require.Equal(t, `40 more announcements of namespace acme are left out; see "reconciler events"`, left[0].Message)
	require.Empty(t, r.leftOut(at.Add(tellLeft)), "they are told of once")
	require.True(t, r.allow(event("acme", 91), at.Add(tellLeft)))
	require.Len(t, r, 1, "globex has all its room again")
	require.Empty(t, r.leftOut(at.Add(time.Hour)))
	require.Empty(t, r)
}

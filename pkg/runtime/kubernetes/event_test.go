package kubernetes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/record"

	"github.com/d-aros/d-aros/test/texttest"
)

// TestEventsAreLines: the reason and the message of an event are what tenants, pods and the API server say.
func TestEventsAreLines(t *testing.T) {
	recorder := record.NewFakeRecorder(1)
	r := &Runtime{events: &events{recorder: recorder}}
	for _, s := range texttest.Corpus() {
		r.Event(t.Context(), "acme", true, s, s)
		shown := <-recorder.Events
		texttest.Line(t, shown, len("Warning ")+maxReason+1+maxSentence)
		require.Equal(t, strings.Contains(s, "head"), strings.Contains(shown, "head"))
	}
}

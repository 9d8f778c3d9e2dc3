package reconcile

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// heard is a listener that remembers the commits it was told of.
type heard []string

func (h *heard) Tell(ledger *model.Ledger) { *h = append(*h, ledger.Commit) }

// Listeners hear what the branch is known to hold, and nothing before it is known.
func TestListenersHearWhatIsSaved(t *testing.T) {
	var h heard
	l := New(Options{Listeners: []Listener{&h}})
	l.publish(t.Context(), &Report{}, errors.New("the branch cannot be read"))
	require.Empty(t, h)
	l.saved = model.Ledger{Commit: "1"}
	l.publish(t.Context(), &Report{}, nil)
	l.publish(t.Context(), &Report{}, errors.New("the branch cannot be written"))
	require.Equal(t, heard{"1", "1"}, h)
}

package apply

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPace: patience follows an API server that is slow for everybody, up to a limit, and not the webhooks of a few tenants.
func TestPace(t *testing.T) {
	p := &pace{usual: time.Second}
	require.Equal(t, time.Second, p.patience(), "nothing is known")
	everybody := func(took time.Duration) {
		for i := range 100 {
			p.note(fmt.Sprint("tenant", i), took)
		}
	}
	everybody(20 * time.Millisecond)
	require.Equal(t, time.Second, p.patience(), "answers are quick")
	for i := range 11 {
		for range 50 {
			p.note(fmt.Sprint("hangs", i), 30*time.Second)
		}
	}
	require.Equal(t, time.Second, p.patience(), "eleven tenants have a webhook that hangs, and none waits longer for that")
	everybody(600 * time.Millisecond)
	require.Equal(t, 4800*time.Millisecond, p.patience(), "the API server is slow")
	everybody(30 * time.Second)
	require.Equal(t, 10*time.Second, p.patience(), "however slow it is")
	everybody(20 * time.Millisecond)
	require.Equal(t, time.Second, p.patience(), "it has caught up")
	require.Len(t, p.last, paceTenants)
}

// TestPaceOfTwo: of two tenants, the one whose webhook hangs does not count.
func TestPaceOfTwo(t *testing.T) {
	p := &pace{usual: time.Second}
	p.note("acme", 10*time.Millisecond)
	p.note("globex", 30*time.Second)
	require.Equal(t, time.Second, p.patience())
}

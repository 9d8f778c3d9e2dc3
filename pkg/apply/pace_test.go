package apply

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestPace: patience follows an API server that is slow for everybody, up to a limit, and not the webhooks of a few tenants.
func TestPace(t *testing.T) {
	services, secrets := schema.GroupKind{Kind: "Service"}, schema.GroupKind{Kind: "Secret"}
	p := newPace(time.Second)
	require.Equal(t, time.Second, p.patience(services), "nothing is known")
	everybody := func(took time.Duration) {
		for i := range 100 {
			p.note(services, fmt.Sprint("tenant", i), took)
		}
	}
	everybody(20 * time.Millisecond)
	require.Equal(t, time.Second, p.patience(services), "answers are quick")
	for i := range 11 {
		for range 50 {
			p.note(services, fmt.Sprint("hangs", i), 30*time.Second)
		}
	}
	require.Equal(t, time.Second, p.patience(services), "eleven tenants have a webhook that hangs, and none waits longer for that")
	everybody(600 * time.Millisecond)
	require.Equal(t, 4800*time.Millisecond, p.patience(services), "each Service takes long")
	require.Equal(t, time.Second, p.patience(secrets), "of a kind that is quick")
	everybody(30 * time.Second)
	require.Equal(t, 10*time.Second, p.patience(services), "however slow it is")
	everybody(20 * time.Millisecond)
	require.Equal(t, time.Second, p.patience(services), "it has caught up")
	require.Len(t, p.last[services], paceTenants)
}

// TestPaceOfFew: few tenants tell nothing of an API server, because each may have a webhook that hangs.
func TestPaceOfFew(t *testing.T) {
	configs := schema.GroupKind{Kind: "ConfigMap"}
	p := newPace(time.Second)
	for _, tenant := range []string{"acme", "globex", "initech"} {
		p.note(configs, tenant, 30*time.Second)
	}
	require.Equal(t, time.Second, p.patience(configs))
	p.note(configs, "umbrella", 10*time.Millisecond)
	require.Equal(t, time.Second, p.patience(configs), "the quickest of four")
}

// TestLateAnswersCount: a request that nobody waits for tells how long answers take once it has ended.
func TestLateAnswersCount(t *testing.T) {
	const usual = 10 * time.Millisecond
	u := newUnanswered(8, usual)
	defer u.end()
	answer := make(chan struct{})
	for i := range paceFew {
		_, err := await(t.Context(), t.Context(), u, fmt.Sprint("tenant", i), Ref{Kind: "Service", Name: fmt.Sprint("web", i)}, func(context.Context) (bool, error) {
			<-answer
			return true, nil
		})
		var slow *late
		require.ErrorAs(t, err, &slow)
		require.Equal(t, usual, slow.waited)
	}
	close(answer)
	require.Eventually(t, func() bool { return u.pace.patience(schema.GroupKind{Kind: "Service"}) >= paceFactor*usual }, time.Minute, time.Millisecond)
	require.Equal(t, usual, u.pace.patience(schema.GroupKind{Kind: "Secret"}))
}

package reconcile

import (
	"errors"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestOverdueWorkDoesNotHurryPassesThatFail: what is due and was not reached, because the pass failed before, is not a reason
// to fail again at once.
func TestOverdueWorkDoesNotHurryPassesThatFail(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	l := New(Options{Interval: time.Minute, Now: func() time.Time { return now }})
	waits := backoff.NewExponentialBackOff()
	waits.RandomizationFactor, waits.InitialInterval, waits.MaxInterval = 0, firstWait, time.Minute
	l.declared.polled = now
	l.done.failed(model.AppID{Tenant: "acme", Name: "shop"}, now)

	failed := errors.New("the cluster does not answer")
	now = now.Add(firstWait / 4)
	require.Equal(t, firstWait*3/4, pause(l.untilNext(Report{}), Report{}, failed, waits), "the retry comes first")
	for wait := time.Duration(0); wait < time.Minute; {
		now = now.Add(firstWait)
		next := pause(l.untilNext(Report{}), Report{}, failed, waits)
		require.Greater(t, next, wait)
		wait = next
	}
	var left Report
	left.Left = 1
	require.Zero(t, pause(0, left, nil, waits), "a pass that goes through leaves something")
	require.Equal(t, firstWait, pause(0, Report{}, failed, waits), "the failures before it do not count")
	require.Zero(t, pause(l.untilNext(Report{}), Report{}, nil, waits), "what is due is done by the pass after one that goes through")
}

package model

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A page tells changes as true only where nothing has changed since they were checked; else it says what, and tells nobody what to do.
func TestAdvisingSaysWhenItIsTrue(t *testing.T) {
	at := time.Date(2026, 11, 25, 10, 42, 0, 0, time.UTC)
	request := Advice{Change: "request", By: ByOwner, Amount: "9", Was: "10", Text: "request 9 cpu for each replica of main instead of 10",
		Victims: []Victim{{App: AppID{Tenant: "initech", Name: "risk"}, Evicted: true, Replicas: 8, Amount: "24 cpu"}}}
	quota := Advice{Change: "quota", By: ByTenant, Amount: "8", Text: "raise quota.cpu of tenant acme to 8"}
	for _, c := range []struct {
		name     string
		decision Decision
		sentence string
		changes  []string
	}{
		{"true", Decision{Verdict: VerdictWaiting, Advice: []Advice{request, quota}, Advised: &Advised{At: at, Kinds: []string{"request", "quota"}}},
			"Each of these alone would admit it:",
			[]string{"request 9 cpu for each replica of main instead of 10 (evicts initech/risk: 8 replicas, 24 cpu)", "raise quota.cpu of tenant acme to 8 (needs the tenant's admin)"}},
		{"for a newer spec", Decision{Verdict: VerdictGranted, Refused: &Refusal{}, Advice: []Advice{quota}, Advised: &Advised{At: at, Kinds: []string{"quota"}}},
			"Each of these alone would let the newer spec in:", []string{"raise quota.cpu of tenant acme to 8 (needs the tenant's admin)"}},
		{"being checked", Decision{Verdict: VerdictWaiting, Advice: []Advice{request}, Advised: &Advised{At: at, Kinds: []string{"request"}, Changed: []string{"pool batch"}}},
			"True at 2026-11-25 10:42 UTC, being checked again (pool batch changed): a smaller request was enough.", nil},
		{"nothing", Decision{Verdict: VerdictRejected, Advised: &Advised{At: at, Kinds: []string{"request", "quota"}}},
			"No single change of these kinds suffices: a smaller request, a larger quota.", nil},
		{"nothing, being checked", Decision{Verdict: VerdictRejected, Advised: &Advised{At: at, Kinds: []string{"request"}, Changed: []string{"tenant acme"}}},
			"At 2026-11-25 10:42 UTC no single change was enough; that is being checked again (tenant acme changed).", nil},
		{"not advised", Decision{Verdict: VerdictWaiting}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			sentence, changes := c.decision.Advising()
			require.Equal(t, c.sentence, sentence)
			require.Equal(t, c.changes, changes)
		})
	}
}

// A decision has what is told as data, and what it was made of.
func TestAdviceIsData(t *testing.T) {
	d := Decision{
		Advice: []Advice{{Change: "priority", By: ByOwner, Amount: "201", Was: "200", Text: "set priority to 201",
			Victims: []Victim{{App: AppID{Tenant: "a", Name: "risk"}, Evicted: true, Replicas: 8, Amount: "8 cpu"}}}},
		Advised: &Advised{Kinds: []string{"priority"}, On: []Basis{{Name: "pool batch", Digest: "12ab"}}},
	}
	text, err := json.Marshal(d)
	require.NoError(t, err)
	var read struct {
		Advice  []map[string]any
		Advised map[string]any
	}
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, map[string]any{"change": "priority", "by": "owner", "amount": "201", "was": "200", "text": "set priority to 201",
		"victims": []any{map[string]any{"application": "a/risk", "evicted": true, "replicas": 8.0, "amount": "8 cpu"}}}, read.Advice[0])
	require.Equal(t, []any{map[string]any{"name": "pool batch", "digest": "12ab"}}, read.Advised["on"])
}

package offline_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
)

func parsed(t *testing.T, texts ...string) (settings []offline.Setting, capacity []offline.Capacity) {
	for _, text := range texts {
		if strings.HasPrefix(text, "general.") {
			more, err := offline.ParseCapacity([]string{text})
			require.NoError(t, err)
			capacity = append(capacity, more...)
			continue
		}
		s, err := offline.ParseSetting(text)
		require.NoError(t, err)
		settings = append(settings, s)
	}
	return settings, capacity
}

// TestParallelBase: many questions about one base get the answers of what-if, byte for byte, whatever was asked before. The
// goroutines of the pool work for them side by side; make test runs it a second time under the race detector.
func TestParallelBase(t *testing.T) {
	repo := fleet(t)
	application(repo, "report", 12) // beyond the quota
	c := caseOf(t, repo.Dir)
	fresh := func(texts ...string) string {
		settings, capacity := parsed(t, texts...)
		at := c
		at.Capacity = capacity
		made, err := offline.WhatIf(t.Context(), options(t), at, "", settings)
		require.NoError(t, err)
		b, err := view.JSON(view.PlanOf(made))
		require.NoError(t, err)
		return string(b)
	}
	steps := make(chan struct{}, 10_000) // workers report them side by side
	o := options(t)
	o.Progress = func(_ string, of int) (step, end func()) { return func() { steps <- struct{}{} }, func() {} }
	worked := make(chan time.Duration, 10_000)
	o.Worked = func(work time.Duration) { worked <- work }
	base, err := offline.OpenBase(t.Context(), o, c, "")
	require.NoError(t, err)
	defer base.Close()
	is := offline.Recorded{} // the record that it follows
	follow := func(at time.Time) { require.NoError(t, base.Follow(t.Context(), is, at)) }
	ask := func(texts ...string) string {
		settings, capacity := parsed(t, texts...)
		made, err := base.WhatIf(t.Context(), settings, capacity)
		require.NoError(t, err)
		b, err := view.JSON(view.PlanOf(made))
		require.NoError(t, err)
		return string(b)
	}
	require.False(t, base.Unlooked("", now), "nothing was read yet")
	follow(now)
	once := len(steps)
	total := time.Duration(0)
	for range len(worked) {
		total += <-worked
	}
	require.Positive(t, total, "CPU time of the children")
	questions := [][]string{
		{"tenant.acme.quota.cpu=32"}, {"tenant.acme.quota.cpu=32", "general.cpu=+64"}, {"application.acme/shop.components.web.replicas=4"},
		{"general.cpu=-15"}, {"application.acme/blog.desired=terminated", "tenant.acme.weight=3"}, {"general.domains=3"},
	}
	answers := make([]string, len(questions))
	for i, q := range questions {
		answers[i] = ask(q...)
		require.Equal(t, fresh(q...), answers[i])
	}
	for i := range questions {
		follow(now.Add(time.Second))
		require.Equal(t, answers[len(questions)-1-i], ask(questions[len(questions)-1-i]...))
	}
	require.Len(t, steps, once, "nothing was evaluated or rendered again")

	// It follows the files, a commit, the status branch and the time.
	application(repo, "shop", 3)
	c.Now = now.Add(2 * time.Second)
	follow(c.Now)
	require.Equal(t, fresh(questions[0]...), ask(questions[0]...))
	require.False(t, base.Unlooked("", c.Now), "only git tells cheaply whether a file changed again")
	repo.Commit("second")
	c.Now = c.Now.Add(time.Second)
	follow(c.Now)
	require.Equal(t, fresh(questions[1]...), ask(questions[1]...))

	// It is asked while somebody looks at the files, where nothing else can have changed.
	require.True(t, base.Unlooked("", c.Now))
	require.False(t, base.Unlooked("", c.Now.Add(time.Hour)))
	require.False(t, base.Unlooked(strings.Repeat("ab", 20), c.Now))
	t.Run("beside", func(t *testing.T) {
		t.Run("look", func(t *testing.T) {
			t.Parallel()
			require.True(t, base.Unchanged(t.Context()))
		})
		t.Run("ask", func(t *testing.T) {
			t.Parallel()
			require.Equal(t, fresh(questions[1]...), ask(questions[1]...))
		})
	})
	nothing, err := base.WhatIf(t.Context(), nil, nil)
	require.NoError(t, err)
	is = offline.Recorded{Commit: strings.Repeat("ab", 20), Ledger: nothing.Next}
	c.Elsewhere = &is
	c.Now = c.Now.Add(time.Second)
	follow(c.Now)
	require.Equal(t, fresh(questions[2]...), ask(questions[2]...))
	c.Now = c.Now.Add(time.Hour)
	follow(c.Now)
	require.Equal(t, fresh(questions[3]...), ask(questions[3]...))

	// A base that cannot follow keeps nothing that is wrong, and follows again.
	ended, end := context.WithCancel(t.Context())
	end()
	application(repo, "shop", 2)
	require.False(t, base.Unchanged(t.Context()))
	require.Error(t, base.Follow(ended, is, c.Now.Add(time.Hour)))
	follow(c.Now)
	require.Equal(t, fresh(questions[0]...), ask(questions[0]...))
	_, err = base.WhatIf(ended, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// TestBaseBlamesSettings: an error that the caller made has a type.
func TestBaseBlamesSettings(t *testing.T) {
	base, err := offline.OpenBase(t.Context(), options(t), caseOf(t, fleet(t).Dir), "")
	require.NoError(t, err)
	defer base.Close()
	require.NoError(t, base.Follow(t.Context(), offline.Recorded{}, now))
	for _, text := range []string{"tenant.acem.weight=2", "application.acme/shop.color=2", "general.cpu=-99", "general.cpu=x"} {
		settings, capacity := parsed(t, text)
		made, err := base.WhatIf(t.Context(), settings, capacity)
		require.ErrorAs(t, err, new(*offline.SettingError), text)
		require.Equal(t, plan.Comparison{}, made)
	}
}

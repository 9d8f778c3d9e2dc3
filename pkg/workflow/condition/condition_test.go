package condition_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/workflow/condition"
)

var values = condition.Values{
	Succeeded: map[string]bool{"build": true, "load-test": false},
	Failed:    map[string]bool{"build": false, "load-test": true},
	Skipped:   map[string]bool{"build": false, "load-test": false},
	Inputs:    map[string]string{"env": "prod", "limit": "5"},
	Outputs:   map[string]map[string]string{"build": {"size": "4"}},
}

func TestHolds(t *testing.T) {
	for text, want := range map[string]bool{
		`always`:          true,
		`succeeded.build`: true,
		`failed["load-test"] && inputs.env == "prod"`:     true,
		`int(outputs.build.size) < int(inputs.limit)`:     true,
		`has(outputs.lint) && outputs.lint.errors == "0"`: false,
		`"lint" in outputs || inputs.env.startsWith("p")`: true,
		`inputs.env in ["staging", "prod"]`:               true,
		`inputs.env.matches("^st")`:                       false,
		`skipped.build ? true : failed.build`:             false,
	} {
		c, err := condition.Parse(text)
		require.NoError(t, err, text)
		got, err := c.Holds(values)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

// TestParseRefuses: what cannot be typed, might not end or depends on the machine is found when it is written.
func TestParseRefuses(t *testing.T) {
	for text, why := range map[string]string{
		``:                         "mismatched input",
		`inputs.env`:               "not yes or no",
		`suceeded.build`:           "undeclared reference to 'suceeded'",
		`succeeded.build == "yes"`: "no matching overload",
		`[1,2].all(x, x > 0)`:      "undeclared reference",
		`timestamp(inputs.t) > timestamp(inputs.u)`: "undeclared reference to 'timestamp'",
		`duration("1h") > duration("2h")`:           "undeclared reference to 'duration'",
		`dyn(1) == "a"`:                             "undeclared reference to 'dyn'",
		`status == 200`:                             "undeclared reference to 'status'",
		strings.Repeat("(", 40) + "always" + strings.Repeat(")", 40): "recursion",
		strings.Repeat("always && ", 200) + "always":                 "at most 1024 are allowed",
	} {
		_, err := condition.Parse(text)
		require.ErrorContains(t, err, why, text)
	}
}

func TestHoldsSaysWhatIsMissing(t *testing.T) {
	for text, why := range map[string]string{
		`outputs.lint.errors == "0"`:                   "no such key: lint",
		`int(inputs.env) > 1`:                          "from 'string' to 'int'",
		`1 / int(outputs.build.size) == 0 && 1/0 == 1`: "division by zero",
	} {
		c, err := condition.Parse(text)
		require.NoError(t, err, text)
		_, err = c.Holds(values)
		require.ErrorContains(t, err, why, text)
	}
}

// TestWorkIsBounded: a short condition over long values costs no more than the limit.
func TestWorkIsBounded(t *testing.T) {
	long := condition.Values{Inputs: map[string]string{"a": strings.Repeat("a", 1<<20)}}
	c, err := condition.Parse(`(inputs.a + inputs.a + inputs.a + inputs.a).matches("(a*)*(a*)*b")`)
	require.NoError(t, err)
	_, err = c.Holds(long)
	require.ErrorContains(t, err, "cost limit")
}

func TestNames(t *testing.T) {
	c, err := condition.Parse(`failed.build || "lint" in outputs && outputs["load-test"].p99 < inputs.limit`)
	require.NoError(t, err)
	require.Equal(t, []string{"build", "lint", "load-test"}, c.Steps())
	require.Equal(t, []string{"limit"}, c.Inputs())
	require.True(t, c.Results())

	c, err = condition.Parse(`inputs.env == "failed"`)
	require.NoError(t, err)
	require.False(t, c.Results(), "a word in a text is no question about a step")
}

func TestAccepts(t *testing.T) {
	c, err := condition.ParseSuccess(`status == 200 && body.contains("ok") || value < 0.01`)
	require.NoError(t, err)
	for answer, want := range map[condition.Answer]bool{
		{Status: 200, Body: "all ok", Value: 1}: true,
		{Status: 500, Body: "ok", Value: 1}:     false,
		{Value: 0.001}:                          true,
	} {
		got, err := c.Accepts(answer)
		require.NoError(t, err)
		require.Equal(t, want, got, answer)
	}
}

// FuzzParse: no text makes it panic, hang or answer twice differently.
func FuzzParse(f *testing.F) {
	f.Add(`failed["load-test"] && inputs.env == "prod"`)
	f.Add(`int(outputs.build.size) < 5 ? always : !always`)
	f.Add(`{"a": 1}["a"] == [1][0]`)
	f.Add(`"\u00e9\x00".matches("(")`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := condition.Parse(text)
		if err != nil {
			return
		}
		c.Steps()
		first, err1 := c.Holds(values)
		second, err2 := c.Holds(values)
		require.Equal(t, first, second)
		require.Equal(t, err1 == nil, err2 == nil)
	})
}

func BenchmarkParseAndHold(b *testing.B) {
	for b.Loop() {
		c, err := condition.Parse(`succeeded.build && int(outputs.build.size) < 5`)
		require.NoError(b, err)
		_, err = c.Holds(values)
		require.NoError(b, err)
	}
}

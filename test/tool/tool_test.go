package tool

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// outcome records how a test would end.
type outcome struct {
	testing.TB
	said string
}

func (o *outcome) Helper()               {}
func (o *outcome) Skipf(string, ...any)  { o.said = "skipped" }
func (o *outcome) Fatalf(string, ...any) { o.said = "failed"; panic(o) }

func TestNeed(t *testing.T) {
	need := func(program string) string {
		o := &outcome{TB: t, said: "runs"}
		func() {
			defer func() { _ = recover() }()
			Need(o, program)
		}()
		return o.said
	}
	for ci, missing := range map[string]string{"": "skipped", "true": "failed"} {
		t.Setenv("CI", ci)
		require.Equal(t, "runs", need("go"))
		require.Equal(t, missing, need("no-such-program"))
	}
}

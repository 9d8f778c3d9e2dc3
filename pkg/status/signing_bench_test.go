package status_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// BenchmarkSignatures saves one changed application of 10,000 and reads the branch at a
// start, with and without signatures in turns, and prints which part of the CPU time they
// add. 5 % are wanted; it fails nowhere, as busy machines measure badly.
func BenchmarkSignatures(b *testing.B) {
	const apps = 10_000
	k := newKey(b)
	type side struct {
		remote *gittest.Repo
		branch *signed
		ledger model.Ledger
		sign   *status.Signing
		spent  time.Duration
	}
	sides := [2]*side{{remote: gittest.NewBare(b)}, {remote: gittest.NewBare(b), sign: k.trusting(b)}}
	for _, s := range sides {
		s.branch = openSigned(b, s.remote, s.sign)
		s.ledger = s.branch.commit(s.branch.load(), large(apps))
	}
	i := 0
	for b.Loop() {
		i++
		for _, s := range sides {
			before := cpuTime(b)
			saved, _, err := s.branch.Commit(b.Context(), s.ledger, move(s.ledger, model.PhaseRunning, noon.Add(time.Duration(i)*time.Second)))
			require.NoError(b, err)
			s.ledger = saved
			openSigned(b, s.remote, s.sign).load()
			s.spent += cpuTime(b) - before
		}
	}
	b.ReportMetric(100*(float64(sides[1].spent)/float64(sides[0].spent)-1), "%-more-CPU")
	b.ReportMetric(float64(sides[0].spent.Milliseconds())/float64(i), "unsigned-ms/op")
}

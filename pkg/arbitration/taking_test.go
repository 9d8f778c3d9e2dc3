package arbitration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

var largest = model.AppID{Tenant: "a", Name: "job"}

const tenOfEight = `
policy reserveAfter=30m minRuntime=20m
pool general cpu=80
tenant a
tenant b
runs b/01 b/02 b/03 b/04 b/05 b/06 b/07 b/08 b/09 b/10 size=8
asks a/job size=48`

// TestTakingWakes: an arbiter that is asked again and again, with nothing that changes, lets an application take when its time has come. It
// is told so from the first ruling, also where those who are to give way are in their first minRuntime then.
func TestTakingWakes(t *testing.T) {
	s, err := story.Read(tenOfEight)
	require.NoError(t, err)
	for i := range s.Ledger.Instances {
		if inst := &s.Ledger.Instances[i]; inst.Phase.Active() {
			inst.History = []model.Transition{{At: s.Now, Instance: 1, From: model.PhaseAdmitted, To: model.PhaseScheduled}}
		}
	}
	at, begun := &scene{World: s.World}, s.Now
	arbiter := newWatched(follow.Silent)
	rule := func(now time.Time) *model.Decision {
		s.Now = now
		fleet, seen, ledger := at.inputs()
		ruling := arbiter.Decide(fleet, seen, ledger, now)
		require.Empty(t, differing(essence(s.Decide()), essence(ruling)))
		s.Apply(ruling)
		d, _ := ruling.Find(largest)
		return d
	}
	first := rule(begun)
	require.NotNil(t, first.Takes, first.Message)
	require.Equal(t, begun.Add(30*time.Minute), first.Takes.At)
	require.Len(t, first.Takes.From, 6)
	rule(begun)
	anew := arbiter.anew
	for minute := range 30 {
		require.Equal(t, model.VerdictWaiting, rule(begun.Add(time.Duration(minute)*time.Minute)).Verdict, "minute %d", minute)
	}
	require.Equal(t, model.VerdictGranted, rule(begun.Add(30*time.Minute)).Verdict)
	require.Equal(t, anew, arbiter.anew, "it decided everything anew")
}

// TestThePlatformSwitchesTakingOff: for everybody, though a tenant says otherwise for itself.
func TestThePlatformSwitchesTakingOff(t *testing.T) {
	s, err := story.Read(tenOfEight)
	require.NoError(t, err)
	s.Fleet.Platform.Policy.ReserveAfter = 0
	s.Round()
	s.Now = s.Now.Add(5 * time.Hour)
	d, _ := new(arbitration.Rule(s.Fleet, s.Seen, s.Ledger, s.Now)).Find(largest)
	require.Equal(t, model.VerdictWaiting, d.Verdict)
	require.Contains(t, d.Message, "so nothing is preempted for it, however long it waits (reserveAfter: 0s)")
}

// TestTakingIsToldAsThingsAreInTheEnd: c/last gets what is free after a/job had its turn, so that one more has to give way.
func TestTakingIsToldAsThingsAreInTheEnd(t *testing.T) {
	s, err := story.Read(`
policy reserveAfter=30m
pool general cpu=84
tenant a
tenant b
tenant c weight=0
runs b/01 b/02 b/03 b/04 b/05 b/06 b/07 b/08 b/09 b/10 size=8
asks a/job size=44
asks c/last size=4`)
	require.NoError(t, err)
	ruling := s.Decide()
	last, _ := ruling.Find(model.AppID{Tenant: "c", Name: "last"})
	require.Equal(t, model.VerdictGranted, last.Verdict)
	d, _ := ruling.Find(largest)
	require.Len(t, d.Takes.From, 6, d.Message)
}

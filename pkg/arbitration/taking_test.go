package arbitration_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
	"github.com/d-aros/d-aros/test/arbitration/world"
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

// Of a hundred tenants that each wait for more than their fair share, all are told within five passes when they may take and of
// whom, and nothing else while nothing changes. At its time the one that has waited for longest takes, and then all that may, twenty in a pass, and the others are told
// that they would find nobody. An arbiter that remembers rules the same.
func TestAllThatExceedTakeTurns(t *testing.T) {
	const tenants, passes = 100, 5
	var text strings.Builder
	text.WriteString("policy reserveAfter=30m\npool general cpu=800\ntenant many\nruns")
	for i := range 200 {
		fmt.Fprintf(&text, " many/%03d", i)
	}
	text.WriteString(" size=4\n")
	for i := range tenants {
		fmt.Fprintf(&text, "tenant t%03d\nasks t%03d/job size=10 waited=%dm\n", i, i, 1+i/(tenants-1))
	}
	s, err := story.Read(text.String())
	require.NoError(t, err)
	begun := s.Now
	at, arbiter := &scene{World: s.World}, follow.Silent(arbitration.Solve)
	pass := func() (told map[model.AppID]*model.Taking, changes world.Changes) {
		fleet, seen, ledger := at.inputs()
		ruling := s.Decide()
		remembered := arbiter.Decide(fleet, seen, ledger, s.Now)
		told = map[model.AppID]*model.Taking{}
		for i := range ruling.Decisions {
			d, o := &ruling.Decisions[i], &remembered.Decisions[i]
			require.True(t, d.RulesAs(o), "%s\n%s", d.Message, o.Message)
			if d.Takes != nil && d.Takes.Within == 0 {
				told[d.App] = d.Takes
			}
		}
		changes = s.Apply(ruling)
		s.Now = s.Now.Add(time.Second)
		return told, changes
	}
	var told map[model.AppID]*model.Taking
	for i := range passes {
		told, _ = pass()
		require.GreaterOrEqual(t, len(told), (i+1)*tenants/passes)
	}
	longest := model.AppID{Tenant: fmt.Sprintf("t%03d", tenants-1), Name: "job"}
	for id, by := range told {
		require.Equal(t, id == longest, by.At.Equal(begun.Add(28*time.Minute)), "%s", id)
		require.Len(t, by.From, 3, "%s", id)
	}
	again, _ := pass()
	require.Equal(t, told, again)

	s.Now = begun.Add(28 * time.Minute)
	_, changes := pass()
	require.Equal(t, []model.AppID{longest}, changes.Admitted)
	taken := 1
	s.Now = begun.Add(30 * time.Minute)
	for range passes {
		_, changes := pass()
		taken += len(changes.Admitted)
	}
	for range passes {
		told, _ = pass()
	}
	again, changes = pass()
	require.True(t, changes.None())
	require.Equal(t, told, again)
	require.Len(t, told, tenants-taken)
	for id, by := range told {
		require.Nil(t, by.From, "%s", id)
	}
	t.Logf("%d of %d took beyond the fair share of their tenant", taken, tenants)
	require.Greater(t, taken, tenants/2)
}

// Of thirty tenants that each wait for more than their fair share, all are told in the first pass when they may take: twenty
// also of whom, and the others in how many passes that is worked out, which it then is.
func TestAllThatExceedAreToldWhenAtOnce(t *testing.T) {
	const tenants = 30
	var text strings.Builder
	text.WriteString("policy reserveAfter=30m\npool general cpu=240\ntenant many\nruns")
	for i := range 60 {
		fmt.Fprintf(&text, " many/%03d", i)
	}
	text.WriteString(" size=4\n")
	for i := range tenants {
		fmt.Fprintf(&text, "tenant t%03d\nasks t%03d/job size=10\n", i, i)
	}
	s, err := story.Read(text.String())
	require.NoError(t, err)
	at, arbiter, begun := &scene{World: s.World}, follow.Silent(arbitration.Solve), s.Now
	for pass, untold := range []int{10, 0} {
		fleet, seen, ledger := at.inputs()
		ruling, without := s.Decide(), 0
		require.Empty(t, differing(essence(ruling), essence(arbiter.Decide(fleet, seen, ledger, s.Now))))
		for i := range tenants {
			d, _ := ruling.Find(model.AppID{Tenant: fmt.Sprintf("t%03d", i), Name: "job"})
			require.NotNil(t, d.Takes, "pass %d: %s", pass, d.Message)
			require.Equal(t, begun.Add(30*time.Minute), d.Takes.At)
			require.Regexp(t, "12:30 UTC (on )?.reserveAfter: 30m0s. it may take", d.Message)
			if d.Takes.Within > 0 {
				without++
				require.Contains(t, d.Message, "is worked out by the next pass")
			}
		}
		require.Equal(t, untold, without)
		s.Apply(ruling)
		s.Now = s.Now.Add(time.Second)
	}
}

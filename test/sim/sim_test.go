package sim

import (
	"embed"
	"flag"
	"io/fs"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/tier"
)

var (
	seed      = flag.Uint64("sim.seed", 0, "live through the history of this seed alone, and tell it")
	histories = flag.Int("sim.histories", 0, "how many histories to live through; 0: as many as the tier of the tests has")
	events    = flag.Int("sim.events", 200, "how long they are")
)

func init() { debug.SetGCPercent(400) } // worlds are small and short-lived

// TestHistories lives through random histories: the same ones every time, so that
// who changes the code meets what was met before. Others are for FuzzHistories.
func TestHistories(t *testing.T) {
	options := Options{}
	if *seed != 0 {
		story, v := Tell(Draw(*seed, *events), options)
		t.Log(story)
		if v != nil {
			t.Error(Explain(Draw(*seed, *events), options, v))
		}
		return
	}
	n := *histories
	if n == 0 {
		n = tier.Count(50, 300, 2000)
	}
	found := Search(1, n, *events, options)
	told := map[string]bool{}
	for _, f := range found {
		if !told[f.Violation.Rule] {
			told[f.Violation.Rule] = true
			t.Errorf("-sim.seed=%d\n%s", f.Seed, Explain(Draw(f.Seed, *events), options, f.Violation))
		}
	}
	t.Logf("%d histories of %d events, %d of them violate a rule", n, *events, len(found))
}

// TestKept lives through histories that went wrong once.
func TestKept(t *testing.T) {
	for name, text := range stories(t) {
		t.Run(name, func(t *testing.T) {
			story, v := Tell(parse(t, text), Options{})
			require.Nil(t, v, story)
		})
	}
}

// TestPlantedBugs: the simulation finds each of the bugs that are planted, within few histories, and tells it in few
// events.
func TestPlantedBugs(t *testing.T) {
	const most, longest = 300, 15
	for _, bug := range []struct {
		name   string
		plant  Sabotage
		breaks []string // the rules that it may break

		// from is the first history that finds it, to be quick. With -soak the others before it are lived through, too. Any
		// number is right, as long as it is found from there on.
		from int
	}{
		{"act before save", ActBeforeSave, []string{"only what is saved is done", ruleTold}, 1},
		{"announce before save", AnnounceBeforeSave, []string{ruleTold}, 1},
		{"adopt any branch", AdoptAnything, []string{"a branch that is not the ledger is not written"}, 1},
		{"believe forgeries", BelieveForgeries, []string{"history leads to the phase", "every transition is in the table", "edits of rules release nothing"}, 9},
		{"hush forgeries", HushForgeries, []string{ruleForeign}, 1},
		{"forget the witness", ForgetWitness, []string{"a branch that is not the ledger is not written"}, 16},
		{"skip the digest check", SkipDigestCheck, []string{"Running is said of what runs"}, 15},
		{"drop a hold", DropHold, []string{"edits of rules release nothing"}, 9},
		{"take the approval of another run", ForeignApproval, []string{ruleWorkflow + ": what people decide, they asked for", "a command is about one run"}, 7},
		{"go back to the wrong version", WrongBase, []string{ruleWorkflow + ": what comes back is what succeeded last"}, 191},
		{"undo in the order of starts", UndoFromTheFirst, []string{ruleWorkflow + ": steps are taken back in the reverse order of their starts"}, 10},
		{"keep a failed canary", KeepCanary, []string{ruleWorkflow + ": a canary that ends badly is withdrawn at once"}, 183},
		{"share a lock", ShareLock, []string{"a lock has one holder"}, 36},
		{"go back one release too far", LongWindow, []string{ruleWorkflow + ": a run that goes back brings the release and does nothing else"}, 88},
		{"drop an outcome", DropOutcome, []string{ruleRefused}, 8},
		{"bear a refusal", BearRefusal, []string{"what is refused for good ends an update"}, 164},
		{"decide about a damaged record", IgnoreDamage, []string{ruleDamaged}, 23},
		{"forget a tombstone", ForgetTombstone, []string{"nothing runs that the ledger does not say, for longer than a pass"}, 7},
	} {
		t.Run(bug.name, func(t *testing.T) {
			if testing.Short() && bug.from > 50 {
				t.Skip("its histories are long: make test lives through them")
			}
			planted := Options{Plant: bug.plant}
			seed, short := uint64(tier.Count(bug.from, bug.from, 1)-1), []Event(nil)
			for (short == nil || len(short) > longest) && seed < most {
				seed++
				if v := Live(Draw(seed, *events), planted); v != nil && slices.Contains(bug.breaks, v.Rule) {
					short = Shrink(Draw(seed, *events), planted, v.Rule)
				}
			}
			require.NotNil(t, short, "%d histories did not find it", most)
			story, v := Tell(short, planted)
			require.NotNil(t, v)
			require.LessOrEqual(t, len(short), longest, story)
			t.Logf("history %d found it; in short:\n%s", seed, story)
			require.Nil(t, Live(short, Options{}), "without the bug the same history is fine")
		})
	}
}

// TestMemoOfDeletedData: the same for a bug that needs more than chance: a memo that outlives the data that it is about.
func TestMemoOfDeletedData(t *testing.T) {
	finds(t, memoOfDeletedData, Options{Plant: KeepMemo}, ruleWorkflow+": a step is spared if the same was done")
}

// TestMoveAtOnce: another one: an application that moves ends while the quota has no room for it under its new name.
func TestMoveAtOnce(t *testing.T) {
	finds(t, moveThatWaits, Options{Plant: MoveAtOnce}, "what moves stays until it has a place")
}

const moveThatWaits = `
	declare acme/shop web v1 x4
	pass ann
	quota acme 2
	pass ann
	move acme/shop acme/batch
	pass ann
`

// TestRunAgain: a run that begins anew when its ledger is made again from the cluster.
func TestRunAgain(t *testing.T) {
	finds(t, remadeAfterARun, Options{Remake: RunAgain}, ruleRemade)
}

const remadeAfterARun = `
	declare acme/shop migrated v1 x2
	pass ann
	wait 4s
	pass ann
	wait 4s
	pass ann
	wait 4s
	pass ann
	wait 4s
	pass ann
	lose-branch missing
	pass ann
	remake-branch
	pass ann
	wait 4s
	pass ann
`

// finds demands that a history breaks a rule with a bug, and none without it.
func finds(t *testing.T, text string, o Options, rule string) {
	history := parse(t, text)
	story, v := Tell(history, o)
	require.NotNil(t, v, story)
	require.Equal(t, rule, v.Rule, story)
	require.Nil(t, Live(history, Options{}))
}

const memoOfDeletedData = `
	declare acme/blog seeded v1 x1
	pass ann
	wait 20s
	pass ann
	wait 20s
	pass ann
	wait 20s
	pass ann
	suspend acme/blog
	pass ann
	wait 20s
	pass ann
	suspend acme/blog
	pass ann
`

// TestPlansThatDiffer: a loop that does not do what is planned is found, and so is a plan that does not say what is
// done. Every history compares each save with a plan that knows the same.
func TestPlansThatDiffer(t *testing.T) {
	const most = 300
	for name, o := range map[string]Options{
		"the loop carries no workflow":         {Plant: SkipCarry, Planned: true},
		"the loop overlooks a request":         {Plant: Overlook, Planned: true},
		"the loop ends applications at once":   {Plant: EndAtOnce, Planned: true},
		"the plan finds no orphans":            {Plan: FindNoOrphans},
		"the plan carries no workflow":         {Plan: NoCarry},
		"the plan overlooks a request":         {Plan: DropRequest},
		"the plan forgets who is ending still": {Plan: ForgetEnding},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(most) {
				if v := Live(Draw(seed+1, *events), o); v != nil && v.Rule == rulePlanned {
					t.Logf("history %d found it", seed+1)
					return
				}
			}
			t.Errorf("%d histories did not find it", most)
		})
	}
}

// TestHistoriesRepeat: a history is nothing but its events.
func TestHistoriesRepeat(t *testing.T) {
	for n := range uint64(5) {
		first, _ := Tell(Draw(n, *events), Options{})
		again, _ := Tell(Draw(n, *events), Options{})
		require.Equal(t, first, again)
	}
}

// TestEventsAreText: what is written can be read again, whatever was drawn.
func TestEventsAreText(t *testing.T) {
	for _, e := range Draw(1, 1000) {
		back, err := ParseEvent(e.String())
		require.NoError(t, err)
		require.Equal(t, e.String(), back.String())
	}
}

// FuzzHistories lets a fuzzer look for histories that violate a rule.
func FuzzHistories(f *testing.F) {
	for n := range uint64(20) {
		f.Add(ToBytes(Draw(n+1, *events)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		history := FromBytes(b[:min(len(b), 5*500)])
		if v := Live(history, Options{}); v != nil {
			t.Error(Explain(history, Options{}, v))
		}
	})
}

// kept holds histories that went wrong once and must go well.
//
//go:embed testdata/kept
var kept embed.FS

// stories returns the histories that are kept, by name.
func stories(t *testing.T) map[string]string {
	files, err := fs.Glob(kept, "testdata/kept/*.txt")
	require.NoError(t, err)
	all := map[string]string{}
	for _, f := range files {
		text, err := fs.ReadFile(kept, f)
		require.NoError(t, err)
		all[strings.TrimSuffix(path.Base(f), ".txt")] = string(text)
	}
	return all
}

func parse(t *testing.T, text string) []Event {
	history, err := Parse(text)
	require.NoError(t, err)
	return history
}

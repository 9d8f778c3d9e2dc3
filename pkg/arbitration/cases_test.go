package arbitration_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

// mostRounds is after how many rounds, a minute apart, nothing may move any more.
const mostRounds = 3

// TestCases reads testdata/cases/*.txtar: what people expect of sharing, each
// with the situation, in the words of package story, and the outcome after
// everything has come to rest. An outcome has one statement a line:
//
//	a/new granted "guarantee"        it asked and runs; its decision has these words
//	b/app degraded main=3            it runs with less, here with three replicas
//	b/app granted main=3+3           and with three of a second version beside them
//	b/5 evicted "a/new"              it ran and lost its place
//	2 of b/5 d/5 e/5 evicted         it does not matter which
//	a/new waiting, a/new rejected    it asked and does not run
//	a/gone unruled                   arbitration has nothing to say about it
//	rounds 2                         of change, at most; 1 where nothing is said
//
// Everything else that ran runs on with what it had.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		require.NoError(t, err)
		var common, situation string
		for _, part := range ar.Files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			kind, label, _ := strings.Cut(part.Name, " ")
			switch kind {
			case "common":
				common = string(part.Data)
			case "situation":
				situation = common + string(part.Data)
			case "outcome":
				t.Run(strings.TrimSpace(name+" "+label), func(t *testing.T) { play(t, situation, string(part.Data)) })
			default:
				t.Fatalf("%s: unknown part %q", file, part.Name)
			}
		}
	}
}

// fate is what has become of an application, and the decision that says so.
type fate struct {
	what     string
	decision model.Decision
}

func play(t *testing.T, situation, outcome string) {
	s, err := story.Read(situation)
	require.NoError(t, err)
	fates := map[model.AppID]fate{}
	before := map[model.AppID]string{}
	for _, inst := range s.Ledger.Instances {
		if inst.Phase.Active() {
			before[inst.App] = components(inst)
		}
	}
	rounds := 0
	for ; ; rounds++ {
		require.LessOrEqual(t, rounds, mostRounds, "something still moves after %d rounds: %v", rounds, fates)
		ruling, changes := s.Round()
		s.Now = s.Now.Add(time.Minute)
		noteFates(fates, ruling, changes.Evicted)
		if slices.ContainsFunc(ruling.Decisions, func(d model.Decision) bool { return !d.EvictAt.IsZero() }) {
			continue // who is told that it loses its place holds it still
		}
		requireNothingOversold(t, s)
		if changes.None() {
			break
		}
	}

	advice := adviceAtRest(t, s)
	for _, id := range s.Asking {
		t.Logf("%s %s: %s; would admit: %v", id, fates[id].what, fates[id].decision.Message, advice[id])
	}
	w := &wanted{rounds: 1, fates: fates, named: map[model.AppID]bool{}}
	for line := range strings.Lines(outcome) {
		w.check(t, s, strings.TrimSpace(line))
	}
	require.LessOrEqual(t, rounds, w.rounds, "rounds until nothing moved")
	for _, inst := range s.Ledger.Instances {
		if was, ran := before[inst.App]; ran && !w.named[inst.App] {
			require.Equal(t, was, components(inst), "%s was to be left as it is and is %s: %s", inst.App, fates[inst.App].what, fates[inst.App].decision.Message)
		}
	}
	for _, id := range s.Asking {
		require.True(t, w.named[id], "say what becomes of %s, it is %s", id, fates[id].what)
		if f := fates[id]; f.what == "waiting" || f.what == "rejected" {
			require.NotEmpty(t, advice[id], "%s is %s, and nothing is said that would admit it: %s", id, f.what, f.decision.Message)
		}
	}
}

// adviceAtRest plays rounds until everybody who lacks something is advised, and returns the advice.
func adviceAtRest(t *testing.T, s *story.Story) map[model.AppID][]model.Advice {
	s.Advises = true
	for range 40 {
		advice, finished := map[model.AppID][]model.Advice{}, true
		ruling, changes := s.Round()
		require.True(t, changes.None(), "advice moves nothing")
		for _, d := range ruling.Decisions {
			advice[d.App] = d.Advice
			lacks := d.Verdict == model.VerdictWaiting || d.Verdict == model.VerdictRejected && s.App(d.App) != nil
			finished = finished && (d.Advised != nil && d.Advised.Changed == nil || !lacks)
		}
		if finished {
			return advice
		}
	}
	t.Fatal("not everybody is advised")
	return nil
}

// noteFates remembers the decision with which each fate came about.
func noteFates(fates map[model.AppID]fate, ruling model.Ruling, evicted []model.AppID) {
	for _, d := range ruling.Decisions {
		what := string(d.Verdict)
		if d.Verdict == model.VerdictGranted && d.Degraded {
			what = "degraded"
		}
		if slices.Contains(evicted, d.App) {
			what = "evicted"
		}
		switch old, known := fates[d.App]; {
		case known && old.what == what:
		case known && old.what == "evicted" && (what == "waiting" || what == "rejected"):
		default:
			fates[d.App] = fate{what, d}
		}
	}
}

// wanted checks the statements of an outcome.
type wanted struct {
	rounds int
	fates  map[model.AppID]fate
	named  map[model.AppID]bool
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

func (w *wanted) check(t *testing.T, s *story.Story, line string) {
	var says []string
	for _, m := range quoted.FindAllStringSubmatch(line, -1) {
		says = append(says, m[1])
	}
	words := strings.Fields(quoted.ReplaceAllString(line, ""))
	switch {
	case len(words) == 0 || words[0] == "#":
		return
	case words[0] == "rounds":
		w.rounds = number(t, words[1])
		return
	case len(words) > 2 && words[1] == "of":
		what, met := words[len(words)-1], 0
		for _, word := range words[2 : len(words)-1] {
			id := w.name(t, word)
			if w.fates[id].what == what {
				met++
				requireWords(t, w.fates[id].decision, says)
			}
		}
		require.Equal(t, number(t, words[0]), met, "%s; they are: %v", line, w.whats())
		return
	}
	require.GreaterOrEqual(t, len(words), 2, "%s", line)
	id := w.name(t, words[0])
	f, ruled := w.fates[id]
	if !ruled {
		f.what = "unruled"
	}
	require.Equal(t, words[1], f.what, "%s: %s; all: %v", id, f.decision.Message, w.whats())
	requireWords(t, f.decision, says)
	for _, word := range words[2:] {
		name, replicas, ok := strings.Cut(word, "=")
		require.True(t, ok, "%s is not component=replicas", word)
		inst, _ := s.Ledger.Find(id)
		state, ok := inst.Component(name)
		require.True(t, ok, "%s has no component %s", id, name)
		require.Equal(t, replicas, replicasOf(state.Grant), "replicas of %s of %s", name, id)
	}
}

func (w *wanted) name(t *testing.T, word string) model.AppID {
	id, err := model.ParseAppID(word)
	require.NoError(t, err)
	w.named[id] = true
	return id
}

// whats lists all fates, for messages.
func (w *wanted) whats() string {
	var all []string
	for id, f := range w.fates {
		all = append(all, fmt.Sprintf("%s %s", id, f.what))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// requireWords looks for words anywhere in a decision as it is written down.
func requireWords(t *testing.T, d model.Decision, words []string) {
	t.Helper()
	d.Inputs, d.Policies = model.Inputs{}, nil
	text, err := json.Marshal(d)
	require.NoError(t, err)
	for _, word := range words {
		require.Contains(t, strings.ToLower(string(text)), strings.ToLower(word), "the decision about %s", d.App)
	}
}

func requireNothingOversold(t *testing.T, s *story.Story) {
	t.Helper()
	for _, pool := range s.Seen.Pools {
		require.Empty(t, s.Used(pool.Name).Exceeds(pool.Capacity), "pool %s holds %s and gives %s", pool.Name, pool.Capacity, s.Used(pool.Name))
	}
}

func components(inst model.Instance) string {
	if !inst.Phase.Active() {
		return string(inst.Phase)
	}
	var all []string
	for _, c := range inst.Components {
		all = append(all, fmt.Sprintf("%s=%s %s in %s", c.Grant.Component, replicasOf(c.Grant), c.Grant.QoS, c.Grant.Pool))
	}
	return strings.Join(all, " ")
}

func replicasOf(g model.Grant) string {
	if g.Surge > 0 {
		return fmt.Sprintf("%d+%d", g.Replicas, g.Surge)
	}
	return strconv.Itoa(g.Replicas)
}

func number(t *testing.T, word string) int {
	n, err := strconv.Atoi(word)
	require.NoError(t, err)
	return n
}

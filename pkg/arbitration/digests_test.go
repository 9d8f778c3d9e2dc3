package arbitration_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/story"
	"github.com/d-aros/d-aros/test/arbitration/world"
	"github.com/d-aros/d-aros/test/tier"
)

const digestFile = "testdata/digests.txt"

// TestRulingsKeepTheirBytes compares every byte of the rulings, incremental rulings and
// counterfactuals of fixed situations with testdata/digests.txt, one digest per
// situation. A change of structure must not change one; a change of rules or
// sentences updates the file and shows what it changes in the other goldens.
func TestRulingsKeepTheirBytes(t *testing.T) {
	var lines []string
	digest := func() (write func(any), keep func(name string)) {
		h := fnv.New128a()
		encoder := json.NewEncoder(h)
		return func(v any) { require.NoError(t, encoder.Encode(v)) },
			func(name string) { lines = append(lines, fmt.Sprintf("%s %x", name, h.Sum(nil))) }
	}
	record := func(name string, rulings func(write func(any))) {
		write, keep := digest()
		rulings(write)
		keep(name)
	}
	for seed := range uint64(tier.Count(60, 300, 300)) {
		whole, keepWhole := digest()
		incremental, keepIncremental := digest()
		editedHistory(seed, whole, func(r model.Ruling) { incremental(r) })
		keepWhole(fmt.Sprintf("random/%03d", seed))
		keepIncremental(fmt.Sprintf("random/%03d incremental", seed))
	}
	for name, w := range map[string]*world.World{
		"crowded": generate.Crowded{Tenants: 10, Running: 300}.World(true),
		"reclaim": generate.Crowded{Tenants: 10, Running: 300, Reclaim: true}.World(true),
		"queues":  generate.Queues{Groups: 2, Tenants: 5, Small: 7, Medium: 3, Large: 2}.World(),
		"growing": generate.Growing(400),
	} {
		record("shape/"+name, func(write func(any)) { rounds(w, write) })
	}
	files, err := filepath.Glob("testdata/cases/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		require.NoError(t, err)
		common := ""
		for _, part := range ar.Files {
			if kind, label, _ := strings.Cut(part.Name, " "); kind == "common" {
				common = string(part.Data)
			} else if kind == "situation" {
				s, err := story.Read(common + string(part.Data))
				require.NoError(t, err)
				record(filepath.Base(file)+"/"+strings.ReplaceAll(label, " ", "-"), func(write func(any)) { rounds(s.World, write) })
			}
		}
	}
	compareDigests(t, lines)
}

// editedHistory writes what Decide and an incremental arbiter rule after each of
// ten random edits of a random world, and what would admit each application.
func editedHistory(seed uint64, write func(any), incremental func(model.Ruling)) {
	rng := rand.New(rand.NewPCG(seed, 36))
	shape := generate.Everything(1+rng.IntN(4), 1+rng.IntN(12))
	shape.Preemption = []model.Preemption{"none", "within-tenant", "reclaim", "any", "any"}[rng.IntN(5)]
	s := (&scene{World: generate.Random(rng, shape), rng: rng, shape: shape}).dressed()
	arbiter := follow.Silent(arbitration.Solve)
	for range 10 {
		fleet, seen, ledger := s.inputs()
		incremental(arbiter.Decide(fleet, seen, ledger, s.Now))
		write(s.Decide())
		s.edit(s.Decide)
	}
	for i := range s.Fleet.Applications {
		list, advised := arbitration.Advice(s.Fleet, s.Seen, s.Ledger, s.Now, s.Fleet.Applications[i].ID)
		write(list)
		write(advised)
	}
}

// rounds writes the rulings of up to four rounds, a minute apart.
func rounds(w *world.World, write func(any)) {
	for range 4 {
		ruling, changes := w.Round()
		write(ruling)
		if changes.None() {
			return
		}
		w.Now = w.Now.Add(time.Minute)
	}
}

func compareDigests(t *testing.T, lines []string) {
	slices.Sort(lines)
	if flag.Lookup("update").Value.String() == "true" {
		require.False(t, testing.Short(), "-update with -short would leave out what -short does not decide")
		require.NoError(t, os.WriteFile(digestFile, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		return
	}
	text, err := os.ReadFile(digestFile)
	require.NoError(t, err)
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	if testing.Short() {
		require.Subset(t, want, lines)
		return
	}
	require.Len(t, lines, len(want))
	for i := range want {
		require.Equal(t, want[i], lines[i])
	}
}

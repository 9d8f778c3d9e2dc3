package arbitration_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/model"
)

// snapshot is everything that one ruling depends on, and the ruling.
type snapshot struct {
	Fleet     model.Fleet
	Seen      model.Observation
	Instances []model.Instance
	Specs     map[string]*model.Application // accepted, by application: records of instances leave them out
	Decisions []model.Decision
	Now       time.Time

	Verdicts []string // of the ruling, for people
	Ruling   model.Digest
}

// I34. Stored inputs give the stored ruling, certificates and all, in every build.
// With -update the rulings are written anew: look at the verdicts that differ.
func TestStoredInputsGiveTheStoredRuling(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var s snapshot
			require.NoError(t, json.Unmarshal(text, &s))
			ruling := s.decide()
			if flag.Lookup("update").Value.String() == "true" {
				s.note(ruling)
				s.write(t, file)
				return
			}
			require.Equal(t, s.Verdicts, verdicts(ruling))
			require.Equal(t, s.Ruling, model.DigestOf(ruling), "the verdicts are the same, and something in the decisions is not")
		})
	}
}

func (s *snapshot) decide() model.Ruling {
	ledger := model.Ledger{Instances: s.Instances, Decisions: s.Decisions}
	for i := range ledger.Instances {
		ledger.Instances[i].Spec = s.Specs[ledger.Instances[i].App.String()]
	}
	for _, spec := range s.Specs {
		*spec = spec.Released()
	}
	for _, app := range s.Fleet.Applications {
		*app = app.Released()
	}
	return arbitration.Decide(s.Fleet, s.Seen, ledger, s.Now)
}

func (s *snapshot) note(r model.Ruling) { s.Verdicts, s.Ruling = verdicts(r), model.DigestOf(r) }

func (s *snapshot) write(t require.TestingT, file string) {
	text, err := json.MarshalIndent(s, "", " ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, '\n'), 0o644))
}

func verdicts(r model.Ruling) (all []string) {
	for _, d := range r.Decisions {
		all = append(all, fmt.Sprintf("%s %s %s", d.App, d.Verdict, d.Reason))
	}
	return all
}

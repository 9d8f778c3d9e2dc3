package page

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// runGraph draws a run as a Mermaid flow chart: a box for each step with its phase, and an
// arrow for each dependency. Of foreign text only letters, digits and a few marks get
// into it.
func runGraph(run *model.Run, flow *model.Workflow) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	number := map[string]int{}
	for i := range flow.Steps {
		s := &flow.Steps[i]
		number[s.Name] = i
		phase, note := model.StepPending, ""
		if rec, ok := run.Step(s.Name); ok {
			phase, note = rec.Phase, phaseNote(rec)
		}
		fmt.Fprintf(&b, "    s%d[\"%s<br/>%s<br/>%s%s\"]:::%s\n", i, plain(s.Name), plain(s.Type), plain(string(phase)), note, plain(string(phase)))
	}
	for i := range flow.Steps {
		for _, name := range flow.Steps[i].DependsOn {
			if from, ok := number[name]; ok {
				fmt.Fprintf(&b, "    s%d --> s%d\n", from, i)
			}
		}
	}
	for _, c := range phaseColours {
		fmt.Fprintf(&b, "    classDef %s %s\n", c.phase, c.style)
	}
	return b.String()
}

// phaseNote is the text beside the phase in the box of a step.
func phaseNote(rec *model.StepRun) string {
	var notes []string
	if rec.Attempt > rec.First {
		notes = append(notes, fmt.Sprintf("attempt %d", rec.Attempt-rec.First+1))
	}
	if rec.Phase == model.StepActive && rec.Stage > 0 {
		notes = append(notes, fmt.Sprintf("stage %d", rec.Stage+1))
	}
	if rec.Undo != nil && rec.Undo.Phase == model.StepSucceeded {
		notes = append(notes, "taken back")
	}
	if len(notes) == 0 {
		return ""
	}
	return ", " + strings.Join(notes, ", ")
}

// plain replaces every character that could mean something in a chart.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.', r == ' ':
			return r
		}
		return '_'
	}, text.Line(s, 63))
}

// phaseColours are the colours of phases.
var phaseColours = []struct {
	phase model.StepPhase
	style string
}{
	{model.StepActive, "fill:#dbeafe,stroke:#1d4ed8"},
	{model.StepRetrying, "fill:#fef3c7,stroke:#b45309"},
	{model.StepSucceeded, "fill:#dcfce7,stroke:#15803d"},
	{model.StepFailed, "fill:#fee2e2,stroke:#b91c1c"},
	{model.StepSkipped, "fill:#f3f4f6,stroke:#9ca3af,stroke-dasharray:4"},
	{model.StepCancelled, "fill:#f3f4f6,stroke:#4b5563"},
}

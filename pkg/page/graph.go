package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// graph draws the components with their states, and which starts after which.
func (p *page) graph(in *model.Instance) {
	if in.Spec == nil || len(in.Spec.Components) < 2 || len(in.Spec.Components) > maxRows {
		return
	}
	node := map[string]string{}
	used := map[string]bool{}
	p.line("## Graph\n")
	p.line("```mermaid\ngraph LR")
	for i, c := range in.Spec.Components {
		node[c.Name] = fmt.Sprintf("c%d", i)
		label, class := word(c.Name), ""
		if s, ok := in.Component(c.Name); ok && in.Phase.Active() {
			state := word(string(s.State))
			if class = strings.ReplaceAll(state, " ", "-"); c.Runs() {
				label += fmt.Sprintf("<br/>%d of %d", s.Grant.Replicas, c.Replicas)
			}
			label += "<br/>" + state
		}
		if _, known := stateColours[class]; known {
			used[class] = true
			class = ":::" + class
		} else {
			class = ""
		}
		p.line("  c%d[\"%s\"]%s", i, label, class)
	}
	for _, c := range in.Spec.Components {
		for _, d := range c.DependsOn {
			if from, ok := node[d]; ok {
				p.line("  %s --> %s", from, node[c.Name])
			}
		}
	}
	for _, state := range slices.Sorted(maps.Keys(used)) {
		p.line("  classDef %s %s", state, stateColours[state])
	}
	p.line("```\n")
}

// stateColours are the colours of states, with a dash for a space, readable on light and on dark pages.
var stateColours = map[string]string{
	string(model.StateReady):    "fill:#d4edda,stroke:#28a745,color:#000",
	string(model.StateDone):     "fill:#d4edda,stroke:#28a745,color:#000",
	"not-run":                   "fill:#e2e3e5,stroke:#6c757d,color:#000",
	string(model.StateStarting): "fill:#fff3cd,stroke:#d39e00,color:#000",
	string(model.StateUnready):  "fill:#fff3cd,stroke:#d39e00,color:#000",
	string(model.StateWaiting):  "fill:#fff3cd,stroke:#d39e00,color:#000",
	string(model.StateFailed):   "fill:#f8d7da,stroke:#c82333,color:#000",
	string(model.StateOff):      "fill:#e2e3e5,stroke:#6c757d,color:#000",
}

// word removes every character of s that names, phases and states do not have, so that
// nothing else gets into a chart.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == ' ' {
			return r
		}
		return -1
	}, s[:min(len(s), 64)])
}

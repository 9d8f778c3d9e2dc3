package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// chart draws Rules as a Mermaid state diagram. docs/lifecycle.md holds it.
func chart() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n    state \"any phase\" as Any\n")
	for _, r := range Births {
		for _, from := range append(names(r.From), "[*]")[:1] {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from, r.To, r.Reason)
		}
	}
	for _, r := range slices.Concat(Lifts, Rules) {
		if len(r.From) == len(alive) {
			fmt.Fprintf(&b, "    Any --> %s: %s\n", r.To, r.Reason)
			continue
		}
		for _, from := range r.From {
			to, reason := r.To, string(r.Reason)
			if to == "" {
				to = from
			}
			if reason == "" {
				reason = "why the decision says"
			}
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from, to, reason)
		}
	}
	b.WriteString("    Terminated --> [*]\n")
	return b.String()
}

// table writes Rules as a Markdown table. docs/lifecycle.md holds it.
func table() string {
	var b strings.Builder
	b.WriteString("| from | condition | to | reason |\n|---|---|---|---|\n")
	for _, r := range slices.Concat(Births, Lifts, Rules) {
		from, to, reason := strings.Join(names(r.From), ", "), string(r.To), string(r.Reason)
		switch len(r.From) {
		case 0:
			from = "–"
		case len(alive):
			from = "any but Terminated"
		}
		if to == "" {
			to = "unchanged"
		}
		if reason == "" {
			reason = "the decision's, e.g. QuotaExceeded, CapacityShort"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", from, r.If, to, reason)
	}
	return b.String()
}

func names(phases []model.Phase) []string {
	s := make([]string, len(phases))
	for i, p := range phases {
		s[i] = string(p)
	}
	return s
}

package main

import (
	"encoding/json"
	"fmt"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
)

// replay prints the fields of decisions that differ, and one line for each equal decision.
func (p *printer) replay(v *offline.Replayed) {
	for _, c := range v.Commits {
		p.line("status %s, of source %s: %s", p.paint(bold, shortCommit(c.Commit)), shortCommit(c.Source), text.Count(len(c.Decisions), "decision"))
		if c.Doubt != "" {
			p.line("  %s it %s", p.paint(yellow, "unverified:"), text.Clean(c.Doubt))
		}
		if c.Problem != "" {
			p.line("  %s %s", p.paint(yellow, "cannot be made again:"), text.Clean(c.Problem))
			continue
		}
		for i := range c.Decisions {
			d := &c.Decisions[i]
			if d.Outcome == offline.ReplayEqual {
				p.line("  %s  %s  %s", p.paint(green, "equal  "), text.Clean(d.App.String()), d.Recorded.Short())
				continue
			}
			p.line("  %s  %s  recorded %s, now %s", p.paint(red, "differs"), text.Clean(d.App.String()), d.Recorded.Short(), d.Recomputed.Short())
			for n, f := range differencesOf(d) {
				if n == mostFields {
					p.line("      …")
					break
				}
				p.line("      %s", text.Clean(f.String()))
			}
		}
	}
	text := text.Count(v.Equal, "decision") + " equal"
	if v.Differs > 0 {
		text += fmt.Sprintf(", %d differ", v.Differs)
	}
	if v.Unknown > 0 {
		text += fmt.Sprintf(", %d cannot be made again", v.Unknown)
	}
	p.line("%s", p.paint(bold, text))
}

// differencesOf returns the fields in which two decisions differ.
func differencesOf(d *offline.ReplayedDecision) []plan.FieldChange {
	was, _ := json.Marshal(d.Was) // records can be encoded
	is, _ := json.Marshal(d.Is)
	return plan.Fields(was, is)
}

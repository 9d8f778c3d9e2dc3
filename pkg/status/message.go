package status

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// maxListed bounds the transitions and steps that a commit message lists.
const maxListed = 50

// writtenBy is the trailer that names the program that made a commit.
const writtenBy = "Written-By"

// message describes the plan. It consists of validated names and constants only, so nobody can write a trailer into it.
// Written-By names the program, if it is known.
func (p *plan) message(program string) string {
	var lines []string
	total := 0
	for _, c := range p.apps {
		total += len(c.transitions)
		for _, t := range c.transitions {
			lines = append(lines, fmt.Sprintf("%s: %s", c.app, transitionText(t)))
		}
		for _, s := range c.steps {
			lines = append(lines, fmt.Sprintf("%s: %s", c.app, stepText(s)))
		}
	}
	if more := len(lines) - maxListed; more > 0 {
		lines = append(lines[:maxListed], fmt.Sprintf("and %d more", more))
	}
	var b strings.Builder
	b.WriteString(p.subject() + "\n\n")
	if p.migrates() {
		b.WriteString("What the branch says does not change.\n\n")
	} else if len(lines) > 0 {
		b.WriteString(strings.Join(lines, "\n") + "\n\n")
	}
	if c := p.ledger.Commit; c != "" {
		fmt.Fprintf(&b, "Source-Commit: %s\n", word(c))
	}
	fmt.Fprintf(&b, "Transitions: %d\n", total)
	if program != "" {
		fmt.Fprintf(&b, writtenBy+": %s\n", program)
	}
	return b.String()
}

// migrates reports whether the plan writes the ledger in another major format.
func (p *plan) migrates() bool { return p.base.format.Major != p.format.Major }

func (p *plan) subject() string {
	switch {
	case p.migrates():
		return fmt.Sprintf("migrate from format %s to %s", p.base.format, p.format)
	case len(p.apps) == 1 && len(p.apps[0].transitions) > 0:
		c := p.apps[0]
		return fmt.Sprintf("%s: %s", c.app, word(string(c.transitions[len(c.transitions)-1].To)))
	case len(p.apps) == 1 && len(p.apps[0].steps) > 0:
		c := p.apps[0]
		return fmt.Sprintf("%s: %s", c.app, stepText(c.steps[len(c.steps)-1]))
	case len(p.apps) == 1:
		return fmt.Sprintf("%s: updated", p.apps[0].app)
	case len(p.apps) > 1:
		return fmt.Sprintf("%d applications changed", len(p.apps))
	case p.ledger.Commit != p.base.ledger.Commit:
		return fmt.Sprintf("source %s: no application changed", word(p.ledger.Commit[:min(8, len(p.ledger.Commit))]))
	}
	return "inputs changed"
}

// transitionText writes a transition as "Admitted -> Scheduled (Granted)".
func transitionText(t model.Transition) string {
	text := word(string(t.To))
	if t.From != "" {
		text = word(string(t.From)) + " -> " + text
	}
	return text + " (" + word(string(t.Reason)) + ")"
}

// stepText writes the transition of a step or of a run, as "step migrate succeeded".
func stepText(c model.RunChange) string {
	if c.Step == "" {
		return fmt.Sprintf("run %d %s", c.Run, word(c.To))
	}
	return "step " + word(c.Step) + " " + word(c.To)
}

// word removes every character that phases, reasons and commits do not have.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, s[:min(len(s), 64)])
}

package status

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/announce"
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
		for _, a := range c.told {
			if a.Kind == announce.Transition {
				total++
			}
			lines = append(lines, fmt.Sprintf("%s: %s", c.app, changeText(a)))
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
	case len(p.apps) == 1:
		return fmt.Sprintf("%s: %s", p.apps[0].app, p.apps[0].subject())
	case len(p.apps) > 1:
		return fmt.Sprintf("%d applications changed", len(p.apps))
	case p.ledger.Commit != p.base.ledger.Commit:
		return fmt.Sprintf("source %s: no application changed", word(p.ledger.Commit[:min(8, len(p.ledger.Commit))]))
	}
	return "inputs changed"
}

// subject says what became of an application: its last transition, else the last of
// what else is told.
func (c *change) subject() string {
	for _, a := range slices.Backward(c.told) {
		if a.Kind == announce.Transition {
			return word(a.To)
		}
	}
	if len(c.told) > 0 {
		return changeText(c.told[len(c.told)-1])
	}
	return "updated"
}

// changeText writes a transition as "Admitted -> Scheduled (Granted)", and of the
// others who or what came to what: "step migrate succeeded".
func changeText(a announce.Announcement) string {
	to := word(a.To)
	switch a.Kind {
	case announce.Transition:
		if a.From != "" {
			to = word(a.From) + " -> " + to
		}
		return to + " (" + word(string(a.Reason)) + ")"
	case announce.Run:
		return fmt.Sprintf("run %d %s", a.Run, to)
	case announce.Step:
		return "step " + word(a.Step) + " " + to
	case announce.Stage:
		return fmt.Sprintf("step %s stage %d %s", word(a.Step), a.Stage, to)
	case announce.Undo:
		return "undo of step " + word(a.Step) + " " + to
	case announce.Command:
		return strings.TrimRight(fmt.Sprintf("%s run %d %s", to, a.Run, word(a.Step)), " ")
	}
	return word(string(a.Kind)) + " " + to
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

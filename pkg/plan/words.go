package plan

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Limits of what a plan shows to people. JSON has everything.
const (
	mostApplications = 200
	mostAside        = 10 // that only have another explanation or place in line
)

// Row is an application in a plan for people. It stands for the others, too, that go on
// with what they have and have the same reason.
type Row struct {
	*Application
	Others int
}

// Name is the application of the row: "acme/shop", or "acme/shop and 12 more".
func (r Row) Name() string {
	if r.Others == 0 {
		return r.App.String()
	}
	return fmt.Sprintf("%s and %d more", r.App, r.Others)
}

// Shown returns the rows that people are shown, and the number of applications that
// none of them stands for.
func (c *Changes) Shown() (rows []Row, more int) {
	aside, folded := 0, map[string]int{}
	for i := range c.Applications {
		a := &c.Applications[i]
		if a.Effect == Readmitted && a.Price.Before == a.Price.After {
			if row, ok := folded[a.Why()]; ok {
				rows[row].Others++
				continue
			}
			folded[a.Why()] = len(rows)
		}
		if a.Effect == Requeued || a.Effect == Reworded {
			aside++
		}
		if aside > mostAside || len(rows) == mostApplications {
			return rows, len(c.Applications) - i
		}
		rows = append(rows, Row{Application: a})
	}
	return rows, 0
}

// Summary describes the effect of the change in one line.
func (c *Changes) Summary() string {
	switch c.Result() {
	case ResultSame:
		if len(c.OverQuota) > 0 {
			return "nothing that runs changes: " + text.Count(len(c.OverQuota), "resource") + " over quota"
		}
		return "nothing changes"
	case ResultRefused:
		return "refused: " + c.counts()
	}
	return c.counts()
}

func (c *Changes) counts() string {
	var parts []string
	if n := len(c.Problems); n > 0 {
		parts = append(parts, text.Count(n, "problem"))
	}
	effect := map[Effect]int{}
	for i := range c.Applications {
		effect[c.Applications[i].Effect]++
	}
	for _, e := range effects {
		if n := effect[e]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, e))
		}
	}
	if n := len(c.Runs); n > 0 {
		parts = append(parts, text.Count(n, "run")+" of workflows")
	}
	actions := map[Action]int{}
	for i := range c.Objects {
		actions[c.Objects[i].Action]++
	}
	for _, a := range []struct {
		action Action
		text   string
	}{{Add, "to add"}, {Change, "to change"}, {Remove, "to remove"}, {Keep, "to leave behind"}} {
		if n := actions[a.action]; n > 0 {
			parts = append(parts, text.Count(n, "object")+" "+a.text)
		}
	}
	if len(parts) == 0 {
		return "only what is told about the fleet changes"
	}
	return strings.Join(parts, ", ")
}

// String names the side, with its commit in short: "main (0123456789)".
func (s Side) String() string {
	name, commit := text.Clean(s.Name), text.Clean(s.Commit[:min(len(s.Commit), 10)])
	switch {
	case commit == "":
		return name
	case strings.HasPrefix(s.Commit, s.Name):
		return commit
	}
	return name + " (" + commit + ")"
}

// GrantsText describes the grants that differ: "web 2 → 4, db 1 → 0".
func (a *Application) GrantsText() string {
	var parts []string
	for _, g := range a.Grants {
		before, after := replicas(g.Before), replicas(g.After)
		if before == after {
			before, after = grantText(g.Before), grantText(g.After)
		}
		parts = append(parts, g.Component+" "+before+" → "+after)
	}
	return strings.Join(parts, ", ")
}

func replicas(g *model.Grant) string {
	if g == nil {
		return "0"
	}
	return strconv.Itoa(g.Replicas)
}

// grantText describes a grant in full: "2× 500m cpu, 1Gi memory, burstable, pool general".
func grantText(g *model.Grant) string {
	if g == nil {
		return "nothing"
	}
	text := fmt.Sprintf("%d× %s, %s", g.Replicas, g.Requests, g.QoS)
	if g.Pool != "" {
		text += ", pool " + g.Pool
	}
	return text
}

// Why returns the reason for the effect, "" if none is known.
func (a *Application) Why() string {
	switch {
	case a.Effect == Refused && a.Refused != nil:
		return a.Refused.Reason.With(a.Refused.Message) + helps(a.After)
	case a.Effect == Removed:
		return "Git does not want it any more"
	case len(a.Changes) > 0 && (a.Effect == Regranted || a.Effect == Readmitted):
		return model.AdmissionText(a.Changes)
	case a.After == nil:
		return ""
	}
	return a.After.Reason.With(a.After.Message) + helps(a.After)
}

// helps names the change that would give the application what it lacks, of several the one that costs others least.
func helps(d *model.Decision) string {
	if d == nil {
		return ""
	}
	if _, changes := d.Advising(); len(changes) > 0 {
		return ". What would help: " + changes[0]
	}
	return ""
}

// String describes a price that differs: "1.2500 → 2.5000". It is "" for one that does not.
func (p Price) String() string {
	if p.Before == p.After {
		return ""
	}
	return Money(p.Before) + " → " + Money(p.After)
}

// Text describes a price: "1.2500 → 2.5000", or "1.2500" for one that does not differ.
func (p Price) Text() string {
	if s := p.String(); s != "" {
		return s
	}
	return Money(p.After)
}

// String describes the wait: "place 2, as before: waits for capacity".
func (w *WaitingApp) String() string {
	before := "as before"
	switch {
	case w.Before == 0:
		before = "because of the change"
	case w.Before != w.Position:
		before = fmt.Sprintf("instead of %d", w.Before)
	}
	return fmt.Sprintf("place %d, %s: %s", w.Position, before, w.Message)
}

// Money writes an amount in millionths of the currency: "1.2500".
func Money(n int64) string { return fmt.Sprintf("%d.%04d", n/1e6, n%1e6/100) }

// String describes the effect of the change on a run: "acme/shop begins run 2".
func (r *RunChange) String() string {
	text := fmt.Sprintf("%s %s run %d", r.App, r.Effect, r.Number)
	switch {
	case r.Effect == RunBegins && r.Supersedes > 0:
		text += fmt.Sprintf(" and supersedes run %d, which has not ended", r.Supersedes)
	case r.Effect != RunBegins:
		text += ": " + string(r.Phase)
	}
	return text
}

// WaitsFor describes what the step waits for, now or once it has begun; "" if for nothing.
func (s RunStep) WaitsFor() string {
	switch {
	case s.Waits != "":
		return s.Waits
	case s.People:
		return "people, once it has begun"
	}
	return ""
}

// String names the object: "Deployment acme/shop-web".
func (o *ObjectChange) String() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	text := o.Kind + " " + name
	if o.Action == Keep {
		text += " is declared no more and stays"
	}
	return text
}

// String describes the change of a field: "spec.replicas: 2 → 3".
func (f FieldChange) String() string {
	switch {
	case f.Before == nil:
		return f.Path + ": " + short(f.After) + " is new"
	case f.After == nil:
		return f.Path + ": " + short(f.Before) + " goes"
	}
	return f.Path + ": " + short(f.Before) + " → " + short(f.After)
}

// short cuts a long value.
func short(v json.RawMessage) string {
	const most = 80
	text := []rune(string(v))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

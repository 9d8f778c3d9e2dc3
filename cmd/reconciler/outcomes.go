package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// Titles of outcomes.
const (
	refusedByCluster = "Refused by the cluster"
	notKeptByNodes   = "Not kept by nodes"
)

// refused prints what the cluster does not take of the applications, and what nodes do not
// keep of what was promised to them.
func (p *printer) refused(v *view.Status) {
	p.refusedOf(v, refusedByCluster, false)
	p.refusedOf(v, notKeptByNodes, true)
}

func (p *printer) refusedOf(v *view.Status, title string, ofNodes bool) {
	for i := range v.Applications {
		a := &v.Applications[i]
		for k := range a.Outcomes {
			if a.Outcomes[k].OfNodes() != ofNodes {
				continue
			}
			if title != "" {
				p.section(title)
				title = ""
			}
			p.line("  %s: %s", text.Clean(a.App.String()), p.outcome(&a.Outcomes[k]))
		}
	}
}

// outcomes prints what the cluster does not take of one application, what nodes do not keep,
// and what was put back after others had changed it.
func (p *printer) outcomes(in *model.Instance) {
	said := ""
	for i := range in.Outcomes { // those of nodes are the last
		o, title := &in.Outcomes[i], refusedByCluster
		if o.OfNodes() {
			title = notKeptByNodes
		}
		if title != said {
			p.section(title)
			said = title
		}
		p.line("  %s", p.outcome(o))
		line := "since " + p.ago(o.First)
		if !o.Next.IsZero() {
			line += ", tried again at least every 5 minutes"
		}
		p.line("     %s", line)
	}
	if len(in.Drift) > 0 {
		p.section("Changed by others, and put back")
	}
	for _, d := range in.Drift {
		what := "the whole object was gone"
		if len(d.Fields) > 0 {
			what = strings.Join(d.Fields, ", ")
		}
		if d.Manager != "" {
			what += ", by " + d.Manager
		}
		p.line("  %s: %s (%s, the last one %s)", text.Clean(d.Object), text.Clean(what), text.Count(d.Count, "time"), p.ago(d.Time))
	}
}

// outcome is one line about what is refused.
func (p *printer) outcome(o *model.Outcome) string {
	line := o.Reason.With(o.Message)
	if o.Objects > 1 {
		line += fmt.Sprintf(", and so of %d more", o.Objects-1)
	}
	return p.paint(red, text.Clean(line))
}

// refusedForGood returns the sentence of an outcome that only another commit or a change of
// the cluster ends, "" if there is none.
func refusedForGood(v *view.Application) string {
	i := slices.IndexFunc(v.Outcomes, func(o model.Outcome) bool { return o.Final() })
	if i < 0 {
		return ""
	}
	return v.Outcomes[i].Message
}

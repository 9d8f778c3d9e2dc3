package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// explanation prints the decision about one application, the most important
// things first.
func (p *printer) explanation(x *view.Explanation) {
	if x.Unverified != "" {
		p.line("%s %s: nobody vouches for what follows", p.paint(yellow, "unverified:"), text.Clean(x.Unverified))
	}
	p.headline(x)
	p.notAccepted(x)
	p.outcomes(x.Instance)
	p.workflow(x)
	p.components(x.Instance)
	p.images(x.Instance)
	if d := x.Decision; d != nil {
		p.checks(d.Constraints)
		p.shares(d)
		p.wayIn(d)
		p.displaced(d.Displaced)
		p.policies(d.Policies)
	}
	p.transitions(x.Instance.History)
}

// headline prints the phase, the verdict and what they rest on.
func (p *printer) headline(x *view.Explanation) {
	in := x.Instance
	p.line("%s is %s since %s", p.paint(bold, fmt.Sprintf("%s#%d", text.Clean(in.App.String()), in.Number)),
		p.paint(phaseStyles[in.Phase], string(in.Phase)), p.ago(in.Since))
	rows := [][]cell{{plain("why"), plain(in.Reason.With(in.Message))}}
	if d := x.Decision; d != nil {
		verdict := string(d.Verdict)
		if d.Reason != in.Reason || d.Message != in.Message {
			verdict += " (" + d.Reason.With(d.Message) + ")"
		}
		rows = append(rows, []cell{plain("verdict"), {text.Clean(verdict), cmp.Or(map[model.Verdict]style{model.VerdictGranted: green, model.VerdictWaiting: yellow}[d.Verdict], red)}})
		if d.Position > 0 {
			rows = append(rows, []cell{plain("in line"), plain(fmt.Sprintf("number %d", d.Position))})
		}
		if d.For != "" {
			rows = append(rows, []cell{plain("in favour of"), plain(d.For)})
		}
		if !d.EvictAt.IsZero() {
			rows = append(rows, []cell{plain("loses its place"), plain("at " + moment(d.EvictAt) + " if the shortage lasts")})
		}
	}
	if spec := x.Spec; spec != nil {
		rows = append(rows, []cell{plain("spec"), plain(fmt.Sprintf("%s, from commit %s, priority %d", spec.Digest.Short(), shortCommit(spec.Commit), spec.Priority))})
	}
	if d := x.Decision; d != nil {
		rows = append(rows, []cell{plain("decided on"), plain(fmt.Sprintf("commit %s, policy %s, capacity %s",
			shortCommit(d.Inputs.Commit), d.Inputs.Policy.Short(), d.Inputs.Capacity.Short()))})
	}
	if !in.Deadline.IsZero() {
		what := "must be ready by"
		if x.Previous != nil {
			what = "update must be ready by"
		}
		rows = append(rows, []cell{plain("deadline"), plain(what + " " + moment(in.Deadline))})
	}
	for _, q := range x.OverQuota {
		rows = append(rows, []cell{plain("over quota"), {text.Clean(q.String()), yellow}})
	}
	for i := range rows {
		rows[i][0].style = dim
	}
	p.table("  ", nil, rows)
}

// notAccepted prints why a newer version in Git is not in use.
func (p *printer) notAccepted(x *view.Explanation) {
	in := x.Instance
	if in.Refused == nil && len(x.Problems) == 0 && len(in.Held) == 0 {
		return
	}
	p.section("Not accepted")
	if in.Refused != nil {
		p.line("  the newer spec in Git: %s", p.paint(red, text.Clean(in.Refused.Reason.With(in.Refused.Message))))
		if in.Spec != nil && in.Phase.Active() {
			p.line("  what runs stays as it was at commit %s", shortCommit(in.Spec.Commit))
		}
	}
	p.problems("  ", x.Problems)
	if n := len(in.Retries); n > 0 && in.Retries[n-1].Refused != "" {
		p.line("  the retry of %s is refused: %s", text.Clean(in.Retries[n-1].By), text.Clean(in.Retries[n-1].Refused))
	}
	if len(in.Held) > 0 {
		held := make([]string, len(in.Held))
		for i, d := range in.Held {
			held[i] = d.Short()
		}
		p.line("  rolled back, not tried again: %s; \"reconciler retry %s\" tries the one in Git", text.Enumerate(held, len(held)), in.App)
	}
}

func (p *printer) components(in *model.Instance) {
	if !in.Phase.Active() || len(in.Components) == 0 {
		return
	}
	p.section("Components")
	var rows [][]cell
	for _, c := range in.Components {
		kind, asked, after, note := "", c.Grant.Replicas, "", ""
		if spec, ok := in.Spec.Component(c.Grant.Component); ok {
			if !spec.Shows() {
				continue
			}
			kind, after = spec.Type, strings.Join(spec.DependsOn, ", ")
			if spec.Runs() {
				asked = spec.Replicas
			}
			if !spec.Critical {
				note = "not critical"
			}
		}
		state, ready, granted := string(c.State), "", fmt.Sprintf("%d/%d", c.Grant.Replicas, asked)
		if c.Message != "" {
			state += ": " + c.Message
		}
		if seen := in.Shown.Of(c.Grant.Component); seen != nil {
			ready = fmt.Sprintf("%d/%d", seen.Ready, seen.Told)
			granted += toldLess(c.Grant.Replicas, seen.Told)
			if seen.Says != "" {
				state += ": " + seen.Says
			}
		}
		rows = append(rows, []cell{
			plain(c.Grant.Component), plain(kind), plain(ready), plain(granted), plain(c.Grant.Requests.String()),
			plain(c.Grant.QoS), plain(c.Grant.Pool), plain(after), plain(note), {text.Clean(state), cmp.Or(stateStyles[c.State], yellow)},
		})
	}
	p.table("  ", []string{"COMPONENT", "TYPE", "READY", "GRANT", "EACH", "QOS", "POOL", "AFTER", "", "STATE"}, rows)
}

// images prints the images that run, as the pods report them.
func (p *printer) images(in *model.Instance) {
	if in.Shown == nil {
		return
	}
	var rows [][]cell
	for _, c := range in.Shown.Components {
		version := ""
		if c.Beside {
			version = "next version"
		}
		for _, image := range c.Images {
			rows = append(rows, []cell{plain(c.Component), plain(image), plain(version)})
		}
	}
	if len(rows) > 0 {
		p.section("Images that run")
		p.table("  ", []string{"COMPONENT", "IMAGE", ""}, rows)
	}
}

func (p *printer) checks(constraints []model.Constraint) {
	tableOf(p, "Checks", []string{"", "CHECK", "ASKED", "USED BY OTHERS", "LIMIT", "SHORTFALL", "LIMIT SET AT"}, constraints, func(c model.Constraint) []cell {
		mark := cell{"ok", green}
		if !c.OK {
			mark = cell{"short", red}
		}
		return []cell{mark, plain(c.Name), plain(c.Asked), plain(c.Used), plain(c.Limit), {text.Clean(c.Short), red}, {text.Clean(c.At), cyan}}
	})
}

// shares prints the shares of all capacity that the tenant and its groups had at the decision.
func (p *printer) shares(d *model.Decision) {
	if len(d.Shares) == 0 {
		return
	}
	tableOf(p, "Shares of all capacity", []string{"OF", "USED", "GUARANTEED", "FAIR SHARE", "WEIGHT"}, d.Shares, func(s model.TenantShare) []cell {
		return []cell{plain(s.Of), plain(permille(s.Used)), plain(permille(s.Guaranteed)), plain(permille(s.FairShare)), plain(fmt.Sprint(s.Weight))}
	})
	for _, past := range d.Past {
		p.line("  %s had %s of all capacity on average lately, so its weight %d counts %s", text.Clean(past.Of), permille(past.Used), past.Weight, past.Counts())
	}
	if d.Standing != "" {
		p.line("  its minimum counts as %s", text.Clean(string(d.Standing)))
	}
}

// wayIn prints the applications ahead and the changes that would admit this one.
func (p *printer) wayIn(d *model.Decision) {
	switch {
	case len(d.Ahead) > 0:
		p.section("Ahead of it")
		for _, x := range d.Ahead {
			p.line("  %s holds %s (%s); its tenant has %s of all capacity and a fair share of %s", text.Clean(x.App.String()), text.Clean(x.Holds),
				text.Clean(string(x.Standing)), permille(x.Share), permille(x.FairShare))
		}
	case len(d.BlockedBy) > 0:
		p.section("Ahead of it")
		p.line("  %s", text.Enumerate(d.BlockedBy, 20))
	}
	if sentence, changes := d.Advising(); sentence != "" {
		p.section("What would help")
		p.line("  %s", text.Clean(sentence))
		p.each("  - %s", changes)
	}
}

func (p *printer) displaced(list []model.Displacement) {
	tableOf(p, "Reduced in its favour", []string{"APPLICATION", "FROM", "TO", "WHY"}, list, func(x model.Displacement) []cell {
		return []cell{plain(x.App.String()), plain(x.From), plain(x.To), plain(x.Why)}
	})
}

func (p *printer) policies(values []model.PolicyValue) {
	tableOf(p, "Policies in force", []string{"POLICY", "VALUE", "SET BY", "AT"}, values, func(v model.PolicyValue) []cell {
		return []cell{plain(v.Path), plain(v.Value), plain(v.Layer), {text.Clean(v.At), cyan}}
	})
}

// transitions prints the last changes, latest first.
func (p *printer) transitions(history []model.Transition) {
	const most = 8
	last := slices.Clone(history[max(0, len(history)-most):])
	slices.Reverse(last)
	tableOf(p, "Last changes", []string{"WHEN", "AGE", "INSTANCE", "CHANGE", "COMMIT", "WHY"}, last, func(t model.Transition) []cell {
		return []cell{
			plain(moment(t.At)), plain(age(p.now.Sub(t.At))), plain(fmt.Sprintf("#%d", t.Instance)), {change(t), phaseStyles[t.To]},
			plain(shortCommit(t.Commit)), plain(t.Reason.With(t.Message)),
		}
	})
}

// change writes a transition: "Scheduled → Running".
func change(t model.Transition) string {
	switch t.From {
	case "":
		return text.Clean(string(t.To))
	case t.To:
		return text.Clean("stays " + string(t.To))
	}
	return text.Clean(string(t.From) + " → " + string(t.To))
}

// stateStyles are the looks of states; the others are yellow.
var stateStyles = map[model.State]style{
	model.StateReady: green, model.StateDone: green, model.StateFailed: red, model.StateOff: dim, model.StateNotRun: dim,
}

// whyNot prints what keeps an application from a level.
func (p *printer) whyNot(v *offline.Obstacles) {
	app := p.paint(bold, text.Clean(v.App.String()))
	what := map[offline.Level]string{offline.LevelFull: "run in full", offline.LevelMinimum: "run at its minimum", offline.LevelAdmitted: "get in"}[v.Level]
	if v.Reached {
		p.line("nothing: %s does %s (%s)", app, what, text.Clean(v.Reason.With(v.Message)))
		return
	}
	p.line("%s does not %s: %s", app, what, text.Clean(v.Reason.With(v.Message)))
	if v.Standing != "" {
		p.line("  its minimum counts as %s%s", text.Clean(string(v.Standing)), sharesText(v.Shares))
	}
	p.checks(v.Failing)
	if len(v.Ahead) > 0 {
		p.section("Who holds most of what is short")
		for _, id := range v.Ahead {
			p.line("  %s", text.Clean(id.String()))
		}
	}
	p.section("Any one of these would do")
	p.each("  - %s", v.Ways)
	if len(v.Ways) == 0 {
		p.line("  no single change of requests, quota, limits, weight, priority or capacity that was tried")
	}
}

// sharesText describes the shares of all capacity that a tenant and its groups have.
func sharesText(shares []model.TenantShare) string {
	var parts []string
	for _, s := range shares {
		parts = append(parts, fmt.Sprintf("%s uses %s of all capacity and has a fair share of %s", text.Clean(s.Of), permille(s.Used), permille(s.FairShare)))
	}
	if parts == nil {
		return ""
	}
	return "; " + strings.Join(parts, "; ")
}

func permille(n int) string { return fmt.Sprintf("%d.%d %%", n/10, n%10) }

package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Application returns the page of one application: its state, the reasons, and the
// changes that would lead to another state. The instance and the decision may be nil. Problems are of the given source commit.
func Application(app model.AppID, in *model.Instance, d *model.Decision, problems []model.Problem, commit string, links model.Links) []byte {
	p := &page{to: linkingTo(links, maxLinks)}
	p.line("# %s\n", app)
	p.line("[Tenant %s](../%s) · [the whole fleet](../../../%s)\n", app.Tenant, File, File)
	if in != nil {
		p.instance(in)
		p.workflow(in)
		p.outcomes(in)
	}
	p.table("What cannot be used", []string{"Where", "Code", "What is wrong"}, p.to.problems(problems, commit, escape))
	if d != nil {
		p.decision(d)
	}
	if in != nil {
		p.components(in)
		p.shown(in)
		p.graph(in)
		p.history(in.History)
	}
	if d != nil {
		p.policies(d.Policies, d.Inputs.Commit)
	}
	return p.bytes()
}

func (p *page) instance(in *model.Instance) {
	p.line("%s **%s** since %s%s\n", sign(in.Phase), in.Phase, moment(in.Since), because(in.Reason, in.Message))
	about := []string{fmt.Sprintf("Instance %s#%d", in.App.Name, in.Number)}
	if in.Spec != nil {
		about = append(about, fmt.Sprintf("priority %d", in.Spec.Priority), "release "+code(in.Spec.Release.Short()))
		if in.Spec.Commit != "" {
			about = append(about, "source commit "+p.to.commit(in.Spec.Commit, 40))
		}
	}
	if !in.Deadline.IsZero() {
		about = append(about, "must be ready by "+moment(in.Deadline))
	}
	p.line("%s\n", strings.Join(about, " · "))
	if in.Refused != nil {
		p.line("> %s\n", refusal(in))
	}
	switch {
	case in.Previous == nil:
	case in.Phase == model.PhaseScheduled:
		p.line("An update is on its way. If it does not become ready in time, release %s comes back.\n", code(in.Previous.Release.Short()))
	case !in.Trial.IsZero():
		p.line("The update has arrived. Until %s release %s is kept, and comes back if this one fails too often.\n",
			moment(in.Trial), code(in.Previous.Release.Short()))
	}
	if n := len(in.Retries); n > 0 && in.Retries[n-1].Refused != "" {
		p.line("> The retry of %s is refused: %s\n", escape(in.Retries[n-1].By), escape(in.Retries[n-1].Refused))
	}
	if len(in.Held) > 0 {
		held := make([]string, len(in.Held))
		for i, d := range in.Held {
			held[i] = code(d.Short())
		}
		p.line("Rolled back and not tried again: %s.\n", strings.Join(held, ", "))
	}
}

// refusal says what of Git is not accepted, and since when.
func refusal(in *model.Instance) string {
	what := "The newer spec in Git is not accepted"
	if in.Refused.Spec != "" && in.Refused.Spec == in.Release() {
		what = "This release goes on by the rules that admitted it; by those in Git now it is not accepted"
	}
	if !in.Refused.Since.IsZero() {
		what += " since " + moment(in.Refused.Since)
	}
	return what + because(in.Refused.Reason, in.Refused.Message)
}

// because writes the reason, a constant, and the sentence.
func because(r model.Reason, message string) string {
	s := ""
	if r != "" {
		s = " (" + escape(string(r)) + ")"
	}
	if message == "" {
		return s + "."
	}
	return s + ": " + escape(message)
}

// advice lists what would give the application what it lacks.
func (p *page) advice(d *model.Decision) {
	sentence, changes := d.Advising()
	if sentence == "" {
		return
	}
	p.line("%s\n", escape(sentence))
	for _, change := range changes[:min(len(changes), maxRows)] {
		p.line("- %s", escape(change))
	}
	if len(changes) > 0 {
		p.line("")
	}
}

func (p *page) decision(d *model.Decision) {
	p.line("## Decision\n")
	p.line("**%s**%s\n", escape(string(d.Verdict)), because(d.Reason, d.Message))
	if d.Position > 0 {
		p.line("Place %d among those that wait.\n", d.Position)
	}
	if d.For != "" {
		p.line("Reduced in favour of %s.\n", escape(d.For))
	}
	if !d.EvictAt.IsZero() {
		p.line("It loses its place at %s if the shortage lasts.\n", moment(d.EvictAt))
	}
	if d.Inputs.Commit != "" {
		p.line("Decided on source commit %s.\n", p.to.commit(d.Inputs.Commit, 40))
	}
	p.shares(d)
	p.table("", []string{"Check", "Asked", "Used by others", "Limit", "Shortfall", "", "Limit set at"}, rowsOf(d.Constraints, func(c model.Constraint) []string {
		mark := "✅ ok"
		if !c.OK {
			mark = "❌ **short**"
		}
		return []string{code(c.Name), escape(c.Asked), escape(c.Used), escape(c.Limit), escape(c.Short), mark, p.to.place(c.At, d.Inputs.Commit)}
	}))
	p.advice(d)
	ahead := d.Ahead[:min(len(d.Ahead), maxRows)]
	p.table("Ahead of it", []string{"Application", "Holds", "Stands", "Its tenant has", "Fair share"}, rowsOf(ahead, func(x model.Competitor) []string {
		return []string{code(x.App.String()), escape(x.Holds), escape(string(x.Standing)), thousandths(x.Share), thousandths(x.FairShare)}
	}))
	if len(d.BlockedBy) > 0 && len(ahead) == 0 {
		ahead := make([]string, 0, len(d.BlockedBy))
		for _, app := range d.BlockedBy[:min(len(d.BlockedBy), maxRows)] {
			ahead = append(ahead, code(app.String()))
		}
		p.line("Ahead of it: %s.\n", strings.Join(ahead, ", "))
	}
	p.table("Reduced in its favour", []string{"Application", "From", "To", "Why"}, rowsOf(d.Displaced, func(x model.Displacement) []string {
		return []string{code(x.App.String()), escape(x.From), escape(x.To), escape(x.Why)}
	}))
}

// shares shows the shares of the tenant and of the groups above it at the decision.
func (p *page) shares(d *model.Decision) {
	if d.Standing != "" {
		p.line("Its minimum counts as **%s**.\n", escape(string(d.Standing)))
	}
	p.table("", []string{"Share of all capacity", "Used", "Guaranteed", "Fair share", "Weight"}, rowsOf(d.Shares, func(s model.TenantShare) []string {
		return []string{escape(s.Of), thousandths(s.Used), thousandths(s.Guaranteed), thousandths(s.FairShare), fmt.Sprint(s.Weight)}
	}))
	for _, past := range d.Past {
		p.line("%s had %d.%d %% of all capacity on average lately, so its weight %d counts %s.\n", escape(past.Of), past.Used/10, past.Used%10, past.Weight, past.Counts())
	}
}

// thousandths writes a share with its bar.
func thousandths(n int) string { return bar(int64(n), 1000) }

func (p *page) components(in *model.Instance) {
	p.table("Components", []string{"Component", "Type", "Replicas granted", "May run now", "Each", "QoS", "Pool", "State"}, rowsOf(in.Components, func(c model.ComponentState) []string {
		kind, critical, times := "", "", ""
		granted, run, each := fmt.Sprint(c.Grant.Replicas), fmt.Sprint(c.Run), escape(c.Grant.Requests.String())
		if spec, ok := in.Spec.Component(c.Grant.Component); ok {
			kind, times = escape(spec.Type), runTimes(in, spec)
			granted += fmt.Sprintf(" of %d", spec.Replicas)
			if !spec.Runs() {
				granted, run, each = "", "", "" // configuration is there or not
			}
			if c.Grant.Surge > 0 {
				granted += fmt.Sprintf(", and %d for a second version", c.Grant.Surge)
			}
			if !spec.Critical {
				critical = " (not critical)"
			}
		}
		if b := c.Beside; b != nil {
			run += fmt.Sprintf(", and %d of the next version (requests reach %s)", b.Run, reached(b.Traffic))
		}
		state := escape(string(c.State))
		if c.Message != "" {
			state += ": " + escape(c.Message)
		}
		if times != "" {
			state += "; " + times
		}
		return []string{code(c.Grant.Component) + critical, kind, granted, run, each, escape(c.Grant.QoS), escape(c.Grant.Pool), state}
	}))
}

// shown lists what the runtimes showed when the page was written: how much they were
// told to run, which an autoscaler may set below the grant, how much of it was ready, and
// the images, as the pods reported them.
func (p *page) shown(in *model.Instance) {
	if in.Shown == nil {
		return
	}
	columns, says := []string{"Component", "Told to run", "Ready", "Images"}, slices.ContainsFunc(in.Shown.Components, func(c model.ShownComponent) bool { return c.Says != "" })
	if says {
		columns = append(columns, "Its definition says")
	}
	p.table("What runs", columns, rowsOf(in.Shown.Components, func(c model.ShownComponent) []string {
		name, images := code(c.Component), make([]string, len(c.Images))
		if c.Beside {
			name += " (next version)"
		}
		for i, image := range c.Images {
			images[i] = code(image)
		}
		row := []string{name, fmt.Sprint(c.Told), fmt.Sprint(c.Ready), strings.Join(images, ", ")}
		if says {
			row = append(row, escape(c.Says))
		}
		return row
	}))
	if in.InStages() {
		p.line("\nCounted at %s.", moment(in.Shown.At))
	}
}

// reached names the replicas that receive requests while two versions run.
func reached(t model.Traffic) string {
	if t == model.TrafficBoth {
		return "both"
	}
	return "the " + word(string(t)) + " ones"
}

func (p *page) history(transitions []model.Transition) {
	var rows [][]string
	for _, t := range slices.Backward(transitions) {
		to := phase(t.To)
		if t.From != "" {
			to = escape(string(t.From)) + " → " + to
		}
		rows = append(rows, []string{moment(t.At), fmt.Sprintf("#%d", t.Instance), to, escape(t.Reason.With(t.Message)), p.to.commit(t.Commit, 10)})
	}
	p.table("History", []string{"When", "Instance", "Phase", "Why", "Source"}, rows)
}

// policies shows what somebody set, and folds the defaults.
func (p *page) policies(values []model.PolicyValue, commit string) {
	var set, defaults [][]string
	for _, v := range values {
		if v.Layer == "schema" {
			defaults = append(defaults, []string{code(v.Path), escape(v.Value)})
		} else {
			set = append(set, []string{code(v.Path), escape(v.Value), escape(v.Layer), p.to.place(v.At, commit)})
		}
	}
	p.table("Policies in force", []string{"Policy", "Value", "Set by", "At"}, set)
	if len(defaults) > 0 {
		p.line("<details><summary>%s that nobody set</summary>\n", text.Count(len(defaults), "default"))
		p.table("", []string{"Policy", "Value"}, defaults)
		p.line("</details>\n")
	}
}

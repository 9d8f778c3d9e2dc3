package page

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
)

// planMark begins the comment, so that CI finds the one that it wrote before.
const planMark = "<!-- d-aros plan -->"

// maxComment is the limit of a comment on a pull request, in bytes, with room to spare.
const maxComment = 60_000

// Bounds of the lists of a comment.
const (
	maxRuns    = 50
	maxObjects = 100
	maxBelow   = 12
)

// Comment returns the comment on a pull request. It stays below maxComment, however many
// changes there are.
func Comment(v *plan.Comparison) []byte {
	p := &page{to: linkingTo(v.Links, maxLinksFirst)}
	title := map[plan.Result]string{
		plan.ResultSame: "nothing changes", plan.ResultChanges: "this changes what runs", plan.ResultRefused: "this would be refused",
	}[v.Result()]
	p.line("%s\n### D-AROS plan: %s\n\n%s, compared with %s.", planMark, escape(title), p.to.side(v.After), p.to.side(v.Before))
	for _, note := range v.Notes[:min(len(v.Notes), maxRows)] {
		p.line("\n> **Note:** %s", escape(note))
	}
	for _, q := range v.OverQuota[:min(len(v.OverQuota), maxRows)] {
		p.line("\n> **Warning:** %s", escape(q.String()))
	}
	p.planProblems(v.Problems, v.After.Commit)
	p.planRounds(v.Rounds)
	p.planApplications(&v.Changes, maxComment*3/4)
	if price := v.Price.String(); price != "" {
		p.line("\nPrice per hour: **%s**.", escape(price))
	}
	p.planTenants(v.Touched, maxComment*3/4)
	p.planWaits(&v.Waits, maxComment*3/4)
	p.planApprovals(v.Approvals, v.After.Commit, maxComment*3/4)
	if len(v.Runs) > 0 {
		p.line("\n#### Workflows\n")
		p.planItems(len(v.Runs), maxRuns, maxComment*7/8, func(i int) (string, []string) { return runItem(&v.Runs[i]) })
	}
	if len(v.Objects) > 0 {
		p.line("\n<details><summary>%s</summary>\n", text.Count(len(v.Objects), "object"))
		p.planItems(len(v.Objects), maxObjects, maxComment*15/16, func(i int) (string, []string) { return objectItem(&v.Objects[i]) })
		p.line("\n</details>")
		p.planDiffs(v.Objects, maxComment)
	}
	p.line("\n_%s_", escape(v.Summary()))
	return p.bytes()
}

func (p *page) planProblems(problems []model.Problem, commit string) {
	if len(problems) == 0 {
		return
	}
	p.line("\n#### Problems\n")
	for i, x := range problems {
		if p.b.Len() > maxComment/2 {
			p.line("- … and %d more", len(problems)-i)
			return
		}
		p.line("- **%s** %s: %s", escape(x.Code), escape(x.Path), escape(x.Message))
		for _, place := range x.Places {
			p.line("  - %s %s", p.to.place(place.At, commit), escape(place.Note))
		}
	}
}

// planRounds writes what each round changes, and begins what differs in the end.
func (p *page) planRounds(rounds []plan.Round) {
	if rounds == nil {
		return
	}
	for i := range rounds {
		if p.b.Len() > maxComment/2 {
			p.line("\n… and %s more.", text.Count(len(rounds)-i, "round"))
			break
		}
		p.line("\n#### %s", escape(rounds[i].String()))
		c := rounds[i].Changes()
		if c.Empty() {
			p.line("\nNothing changes.")
			continue
		}
		p.planApplications(c, maxComment/2)
		if len(c.Runs) > 0 {
			p.line("")
			p.planItems(len(c.Runs), maxRuns, maxComment/2, func(i int) (string, []string) { return runItem(&c.Runs[i]) })
		}
	}
	p.line("\n#### The end state")
}

// planApplications writes a table that ends when the comment has so many bytes.
func (p *page) planApplications(v *plan.Changes, bytes int) {
	if len(v.Applications) == 0 {
		return
	}
	p.line("\n| effect | application | grants | per hour | why |\n| --- | --- | --- | --- | --- |")
	list, more := v.Shown()
	for i, a := range list {
		if p.b.Len() > bytes {
			more += len(list) - i
			break
		}
		p.line("| %s | %s | %s | %s | %s |", strong(a.Effect.Bad(), string(a.Effect)), p.to.application(a.Name(), a.App), escape(a.GrantsText()),
			escape(a.Price.String()), escape(a.Why()))
	}
	if more > 0 {
		p.line("\n… and %s more.", text.Count(more, "application"))
	}
}

// runItem returns the line about a run and those about its steps.
func runItem(r *plan.RunChange) (line string, below []string) {
	for _, s := range r.Steps {
		step := fmt.Sprintf("%s (%s): %s, waits for %s", s.Name, s.Type, s.Phase, s.WaitsFor())
		below = append(below, strings.TrimSuffix(step, ", waits for "))
	}
	return escape(r.String()), below
}

// objectItem returns the line about an object and those about its fields.
func objectItem(o *plan.ObjectChange) (line string, below []string) {
	for _, f := range o.Fields {
		below = append(below, f.String())
	}
	return strong(o.Action == plan.Remove, string(o.Action)) + " " + escape(o.String()), below
}

// planItems writes a list of at most so many items that ends before the comment has so
// many bytes. item returns Markdown, and text that stands below it.
func (p *page) planItems(n, most, bytes int, item func(i int) (line string, below []string)) {
	for i := range n {
		if p.b.Len() > bytes || i == most {
			p.line("- … and %d more", n-i)
			return
		}
		line, list := item(i)
		p.line("- %s", line)
		for n, below := range list {
			if n == maxBelow {
				p.line("  - … and %d more", len(list)-n)
				break
			}
			p.line("  - %s", escape(below))
		}
	}
}

func strong(strong bool, s string) string {
	if s = escape(s); strong {
		return "**" + s + "**"
	}
	return s
}

// planDiffs writes the objects line by line, folded, until the comment has so many bytes. Nothing in a block of code means
// anything to a renderer but its end, so the fence is longer than any in the text.
func (p *page) planDiffs(objects []plan.ObjectChange, bytes int) {
	var body strings.Builder
	left, fence := 0, "```"
	for i := range objects {
		diff := strings.TrimRight(text.Lines(objects[i].Diff, maxComment), "\n")
		if diff == "" {
			continue
		}
		for strings.Contains(diff, fence) {
			fence += "`"
		}
		if p.b.Len()+body.Len()+len(diff)+2*len(fence)+room > bytes {
			left++
			continue
		}
		body.WriteString(diff + "\n")
	}
	if body.Len() == 0 {
		return
	}
	p.line("\n<details><summary>Line by line</summary>\n\n%sdiff\n%s%s", fence, body.String(), fence)
	if left > 0 {
		p.line("\n… and %s more; the dashboard and %s have all.", text.Count(left, "object"), code("reconciler plan -o json"))
	}
	p.line("\n</details>")
}

// room is for what stands around and below the diffs.
const room = 1 << 10

package main

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
)

// planMark begins the comment, so that CI finds the one that it wrote before.
const planMark = "<!-- d-aros plan -->"

// mostMarkdown is what fits in a comment of a pull request, with room to spare.
const mostMarkdown = 60_000

// planMarkdown writes a plan as the comment of a pull request. Whoever opened that
// wrote much of the text, so none of it means anything to the renderer.
func planMarkdown(v *planView) string {
	var b strings.Builder
	title := map[string]string{"same": "nothing changes", "changes": "this changes what runs", "refused": "this would be refused"}[v.Result]
	fmt.Fprintf(&b, "%s\n### D-AROS plan: %s\n\n%s, compared with %s.\n", planMark, title, escaped(v.After.text()), escaped(v.Before.text()))
	for _, note := range v.Notes {
		fmt.Fprintf(&b, "\n> **Note:** %s\n", escaped(note))
	}
	v.markdownProblems(&b)
	v.markdownApplications(&b)
	v.markdownPrices(&b)
	v.markdownRuns(&b)
	v.markdownObjects(&b)
	fmt.Fprintf(&b, "\n_%s_\n", escaped(v.summary()))
	return b.String()
}

func (v *planView) markdownProblems(b *strings.Builder) {
	if len(v.Problems) == 0 {
		return
	}
	b.WriteString("\n#### Problems\n\n")
	for i := range v.Problems {
		x := &v.Problems[i]
		if b.Len() > mostMarkdown/2 {
			fmt.Fprintf(b, "- … and %d more\n", len(v.Problems)-i)
			return
		}
		fmt.Fprintf(b, "- **%s** %s: %s\n", escaped(x.Code), escaped(x.Path), escaped(x.Message))
		for _, place := range x.Places {
			fmt.Fprintf(b, "  - %s %s\n", escaped(place.At), escaped(place.Note))
		}
	}
}

func (v *planView) markdownApplications(b *strings.Builder) {
	if len(v.Applications) == 0 {
		return
	}
	b.WriteString("\n| effect | application | grants | per hour | why |\n| --- | --- | --- | --- | --- |\n")
	list, more := v.shown()
	for i, a := range list {
		if b.Len() > mostMarkdown*3/4 {
			more += len(list) - i
			break
		}
		effect := string(a.Effect)
		if effectStyle(a.Effect) == red {
			effect = "**" + effect + "**"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", effect, escaped(a.App.String()), escaped(grantsText(a)), escaped(priceText(a.Price)), escaped(whyText(a)))
	}
	if more > 0 {
		fmt.Fprintf(b, "\n… and %s more.\n", count(more, "application"))
	}
}

func (v *planView) markdownPrices(b *strings.Builder) {
	if v.Price.Before == v.Price.After {
		return
	}
	fmt.Fprintf(b, "\nPrice per hour: **%s**", escaped(priceText(v.Price)))
	for i, t := range v.Tenants {
		if i == 10 {
			fmt.Fprintf(b, ", and %d more tenants", len(v.Tenants)-i)
			break
		}
		sign := ", "
		if i == 0 {
			sign = ": "
		}
		fmt.Fprintf(b, "%s%s %s", sign, escaped(t.Name), escaped(priceText(t.Price)))
	}
	b.WriteString(".\n")
}

func (v *planView) markdownRuns(b *strings.Builder) {
	if len(v.Runs) == 0 {
		return
	}
	b.WriteString("\n#### Workflows\n\n")
	for i := range v.Runs {
		if b.Len() > mostMarkdown*7/8 || i == mostRuns {
			fmt.Fprintf(b, "- … and %d more\n", len(v.Runs)-i)
			return
		}
		r := &v.Runs[i]
		fmt.Fprintf(b, "- %s\n", escaped(runText(r)))
		for _, s := range r.Steps {
			line := strings.TrimSuffix(fmt.Sprintf("%s (%s): %s, waits for %s", s.Name, s.Type, s.Phase, stepText(s)), ", waits for ")
			fmt.Fprintf(b, "  - %s\n", escaped(line))
		}
	}
}

func (v *planView) markdownObjects(b *strings.Builder) {
	if len(v.Objects) == 0 {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", count(len(v.Objects), "object"))
	for i := range v.Objects {
		if b.Len() > mostMarkdown || i == mostObjects {
			fmt.Fprintf(b, "- … and %d more\n", len(v.Objects)-i)
			break
		}
		o := &v.Objects[i]
		fmt.Fprintf(b, "- %s %s\n", map[plan.Action]string{plan.Add: "add", plan.Change: "change", plan.Remove: "**remove**", plan.Keep: "keep"}[o.Action], escaped(objectName(o)))
		for n, f := range o.Fields {
			if n == mostFields {
				fmt.Fprintf(b, "  - … and %d more\n", len(o.Fields)-n)
				break
			}
			fmt.Fprintf(b, "  - %s\n", escaped(fieldText(f)))
		}
	}
	b.WriteString("\n</details>\n")
}

// escaped makes text fit to stand anywhere in Markdown: one line, shown literally,
// and no address in it becomes a link.
func escaped(s string) string {
	var b strings.Builder
	runes := []rune(text.Clean(s))
	for i, r := range runes {
		address := r == ':' && i+1 < len(runes) && runes[i+1] == '/' || r == '.' && i > 0 && strings.ContainsRune("wW", runes[i-1])
		if address || strings.ContainsRune("\\`*_{}[]<>#!~$&@|", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

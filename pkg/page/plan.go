package page

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// planMark begins the comment, so that CI finds the one that it wrote before.
const planMark = "<!-- d-aros plan -->"

// maxComment is what fits in a comment of a pull request, in bytes, with room to spare.
const maxComment = 60_000

// Plan is what a comment tells of a plan, in words. All of it is foreign text.
type Plan struct {
	Title         string // what the change does: "this changes what runs"
	After, Before string // the two sides
	Notes         []string
	Problems      []model.Problem
	Applications  []PlanRow
	More          int // applications that are not in the list
	Price         string
	TenantPrices  []string // of those whose price differs
	Runs          []PlanItem
	Objects       []PlanItem
	Summary       string
}

// PlanRow is one application.
type PlanRow struct {
	Effect string
	Strong bool // the effect is one that somebody must see
	App    string
	Grants string
	Price  string
	Why    string
}

// PlanItem is one run or object, with what differs or waits in it.
type PlanItem struct {
	Action string // "" for none
	Strong bool   // the action is one that somebody must see
	Text   string
	Below  []string
}

// Bounds of the lists of a comment.
const (
	maxTenantPrices = 10
	maxRuns         = 50
	maxObjects      = 100
	maxBelow        = 12
)

// Comment returns the comment on a pull request. It is shorter than what a comment may
// have, however much changes.
func Comment(v *Plan) []byte {
	p := &page{}
	p.line("%s\n### D-AROS plan: %s\n\n%s, compared with %s.", planMark, escape(v.Title), escape(v.After), escape(v.Before))
	for _, note := range v.Notes[:min(len(v.Notes), maxRows)] {
		p.line("\n> **Note:** %s", escape(note))
	}
	p.planProblems(v.Problems)
	p.planApplications(v)
	p.planPrices(v)
	if len(v.Runs) > 0 {
		p.line("\n#### Workflows\n")
		p.planItems(v.Runs, maxRuns, maxComment*7/8)
	}
	if len(v.Objects) > 0 {
		p.line("\n<details><summary>%s</summary>\n", counted(len(v.Objects), "object"))
		p.planItems(v.Objects, maxObjects, maxComment)
		p.line("\n</details>")
	}
	p.line("\n_%s_", escape(v.Summary))
	return p.bytes()
}

func (p *page) planProblems(problems []model.Problem) {
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
			p.line("  - %s %s", escape(place.At), escape(place.Note))
		}
	}
}

func (p *page) planApplications(v *Plan) {
	if len(v.Applications) == 0 {
		return
	}
	p.line("\n| effect | application | grants | per hour | why |\n| --- | --- | --- | --- | --- |")
	more := v.More
	for i, a := range v.Applications {
		if p.b.Len() > maxComment*3/4 {
			more += len(v.Applications) - i
			break
		}
		p.line("| %s | %s | %s | %s | %s |", strong(a.Strong, a.Effect), escape(a.App), escape(a.Grants), escape(a.Price), escape(a.Why))
	}
	if more > 0 {
		p.line("\n… and %s more.", counted(more, "application"))
	}
}

func (p *page) planPrices(v *Plan) {
	if v.Price == "" {
		return
	}
	line := "\nPrice per hour: **" + escape(v.Price) + "**"
	for i, t := range v.TenantPrices {
		if i == maxTenantPrices {
			line += fmt.Sprintf(", and %d more tenants", len(v.TenantPrices)-i)
			break
		}
		sign := ", "
		if i == 0 {
			sign = ": "
		}
		line += sign + escape(t)
	}
	p.line("%s.", line)
}

// planItems writes a list of at most so many items that ends before the comment has so
// many bytes.
func (p *page) planItems(items []PlanItem, most, bytes int) {
	for i, x := range items {
		if p.b.Len() > bytes || i == most {
			p.line("- … and %d more", len(items)-i)
			return
		}
		p.line("- %s", strings.TrimPrefix(strong(x.Strong, x.Action)+" "+escape(x.Text), " "))
		for n, below := range x.Below {
			if n == maxBelow {
				p.line("  - … and %d more", len(x.Below)-n)
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

func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

package page

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
)

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

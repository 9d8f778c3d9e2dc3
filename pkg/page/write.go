package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// bar draws how much of a limit is used: ███████░░░ 70 %.
func bar(used, limit int64) string {
	if limit <= 0 {
		return ""
	}
	percent := int64(float64(used) / float64(limit) * 100)
	blocks := min(max((percent+5)/10, 0), 10)
	return "`" + strings.Repeat("█", int(blocks)) + strings.Repeat("░", int(10-blocks)) + "` " + fmt.Sprintf("%d %%", percent)
}

// page collects Markdown.
type page struct {
	b    strings.Builder
	rows int // of a table at most; 0: maxRows

	to targets
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *page) bytes() []byte { return []byte(strings.TrimRight(p.b.String(), "\n") + "\n") }

// maxRows bounds a table.
const maxRows = 200

// table writes a table with a heading; without rows it writes nothing.
func (p *page) table(heading string, columns []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if heading != "" {
		p.line("## %s\n", heading)
	}
	p.line("| %s |", strings.Join(columns, " | "))
	p.line("|%s", strings.Repeat(" --- |", len(columns)))
	most := min(len(rows), cmp.Or(p.rows, maxRows))
	for _, r := range rows[:most] {
		p.line("| %s |", strings.Join(r, " | "))
	}
	if more := len(rows) - most; more > 0 {
		p.line("\n… and %d more.", more)
	}
	p.line("")
}

// rowsOf makes the rows of a table. Those that no table shows are only counted:
// they are nil.
func rowsOf[T any](list []T, row func(T) []string) [][]string {
	rows := make([][]string, len(list))
	for i := range min(len(list), maxRows) {
		rows[i] = row(list[i])
	}
	return rows
}

// links lists what a table has no row for, so that its pages can be reached all the same. They have at most so many
// bytes: no page is longer than a Git host shows.
func (p *page) links(names []string, most int, to func(name string) string) {
	if len(names) == 0 {
		return
	}
	all := make([]string, 0, len(names))
	for size := 0; len(all) < len(names); {
		link := fmt.Sprintf("[%s](%s)", names[len(all)], to(names[len(all)]))
		if size += len(link) + len(between); size > most {
			break
		}
		all = append(all, link)
	}
	p.line("The others: %s", strings.Join(all, between))
	if more := len(names) - len(all); more > 0 {
		p.line("\n… and %d more.", more)
	}
	p.line("")
}

// between stands between two links.
const between = " · "

// phase is a phase with its sign, so that it is found at a glance. The word is always there: not everybody sees colours.
func phase(ph model.Phase) string { return sign(ph) + " " + escape(string(ph)) }

func sign(ph model.Phase) string { return cmp.Or(signs[ph], "⚫") }

var signs = map[model.Phase]string{
	model.PhaseRunning: "🟢", model.PhaseScheduled: "🔵", model.PhaseCreated: "🟡", model.PhaseAdmitted: "🟡", model.PhaseDegraded: "🟠", model.PhaseRejected: "🔴",
}

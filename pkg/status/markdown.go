package status

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// rowsOf makes the rows of a table. Those that no table shows are only counted:
// they are nil.
func rowsOf[T any](list []T, row func(T) []string) [][]string {
	rows := make([][]string, len(list))
	for i := range min(len(list), maxRows) {
		rows[i] = row(list[i])
	}
	return rows
}

// brief is foreign text for a page that shows many.
func brief(s string) string { return escape(text.Line(s, 160)) }

// maxText bounds foreign text on a page, in bytes.
const maxText = 500

// escape makes foreign text fit to stand anywhere in Markdown, a table cell
// included: one line, bounded, shown literally. No link, image, mention, HTML
// or control sequence survives.
func escape(s string) string {
	var b strings.Builder
	runes := []rune(text.Line(s, maxText))
	for i, r := range runes {
		switch {
		case r == '<' || r == '>' || r == '&' || r == '@' || r == '|':
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]()#!~$", r), i == 0 && strings.ContainsRune("-+=", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ':' && i+1 < len(runes) && runes[i+1] == '/', r == '.' && startsLink(b.String()):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return startsList(b.String())
}

// startsLink says whether a dot after s would make renderers see an address.
func startsLink(s string) bool { return strings.HasSuffix(strings.ToLower(s), "www") }

// startsList escapes what would make the line an item of a numbered list.
func startsList(s string) string {
	digits := strings.TrimLeft(s, "0123456789")
	if digits != s && (digits == "." || strings.HasPrefix(digits, ". ")) {
		return s[:len(s)-len(digits)] + `\` + digits
	}
	return s
}

// code shows a name literally in code type. What no name of ours contains is
// replaced.
func code(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:/@=+-#, ", r) {
			return r
		}
		return '?'
	}, text.Line(s, 200))
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

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

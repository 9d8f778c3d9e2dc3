package main

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/d-aros/d-aros/pkg/text"
)

// cell is one field of a table.
type cell struct {
	text  string
	style style
}

func plain(s string) cell { return cell{text: text.Clean(s)} }

// table prints rows below a heading, aligned; without a heading if that is nil.
// Columns in which no row has anything are left out. Columns that are too wide fold
// into several lines. text/tabwriter does neither, counts the bytes of a colour, and
// gives a wide character the width of a narrow one.
func (p *printer) table(indent string, head []string, rows [][]cell) {
	if head != nil {
		headings := make([]cell, len(head))
		for i, h := range head {
			headings[i] = cell{h, dim}
		}
		rows = slices.Insert(rows, 0, headings)
	}
	if len(rows) == 0 {
		return
	}
	if rows = dropEmpty(rows, min(len(head), 1)); len(rows[0]) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], displayWidth(c.text))
		}
	}
	p.fit(widths, len(indent))
	for _, row := range rows {
		p.row(indent, row, widths)
	}
}

// tableOf prints a section with a row for each element of a list, and nothing for an empty list.
func tableOf[T any](p *printer, title string, head []string, list []T, row func(T) []cell) {
	if len(list) == 0 {
		return
	}
	p.section(title)
	p.table("  ", head, rowsOf(list, row))
}

// rowsOf makes a row of each element of a list.
func rowsOf[T any](list []T, row func(T) []cell) [][]cell {
	rows := make([][]cell, len(list))
	for i, element := range list {
		rows[i] = row(element)
	}
	return rows
}

// fit narrows columns. A column before the last is at most a sentence wide. On a terminal the widest columns are
// narrowed until the table fits or they would become unreadable.
func (p *printer) fit(widths []int, indent int) {
	const readable, sentence = 24, 60
	total := indent - gap
	for i := range widths {
		if i < len(widths)-1 {
			widths[i] = min(widths[i], sentence)
		}
		total += widths[i] + gap
	}
	for over := total - p.width; p.width > 0 && over > 0; over-- {
		widest := len(widths) - 1
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= readable {
			return
		}
		widths[widest]--
	}
}

const gap = 2

func (p *printer) row(indent string, cells []cell, widths []int) {
	folded := make([][]string, len(cells))
	height := 1
	for i, c := range cells {
		folded[i] = fold(c.text, widths[i])
		height = max(height, len(folded[i]))
	}
	for n := range height {
		line, pad := indent, 0
		for i, c := range cells {
			text := ""
			if n < len(folded[i]) {
				text = folded[i][n]
			}
			if text != "" {
				line += strings.Repeat(" ", max(0, pad)) + p.paint(c.style, text) // a wide character may be wider than its column
				pad = 0
			}
			pad += widths[i] - displayWidth(text) + gap
		}
		p.line("%s", line)
	}
}

// dropEmpty removes the columns that are empty in rows[first:].
func dropEmpty(rows [][]cell, first int) [][]cell {
	kept := make([][]cell, len(rows))
	for i := range rows[0] {
		if slices.ContainsFunc(rows[first:], func(row []cell) bool { return row[i].text != "" }) {
			for n, row := range rows {
				kept[n] = append(kept[n], row[i])
			}
		}
	}
	return kept
}

// fold breaks text between words into lines of at most the given width. It never breaks a word.
func fold(text string, most int) []string {
	if displayWidth(text) <= most {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case displayWidth(line)+1+displayWidth(word) <= most:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// displayWidth returns the number of columns that text takes on a terminal.
func displayWidth(text string) int {
	n := 0
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

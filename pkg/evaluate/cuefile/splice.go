package cuefile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
)

// A Text is a file in which fields are added and removed. Everything else stays as people
// wrote it.
type Text struct {
	Name  string
	Data  []byte
	Clean bool // the file was as "cue fmt" would write it
}

// Open returns the text of a file.
func Open(f File) Text {
	again, err := format.Source(f.Data)
	return Text{Name: f.Name, Data: f.Data, Clean: err == nil && bytes.Equal(again, f.Data)}
}

// Add puts a field at the end of the braces of a struct, apart from what is before it where that
// is asked for, or where a comment would become that of the field.
func (t *Text) Add(s *ast.StructLit, field string, apart bool) {
	brace := s.Rbrace.Offset()
	line := lineStart(t.Data, brace)
	indent := string(t.Data[line:brace])
	if strings.TrimSpace(indent) != "" || line <= s.Lbrace.Offset() { // the brace does not stand alone
		before := bytes.TrimRight(t.Data[:brace], " \t")
		separator := ", "
		if len(before) == s.Lbrace.Offset()+1 || bytes.HasSuffix(before, []byte(",")) || bytes.HasSuffix(before, []byte("\n")) {
			separator = ""
		}
		t.Replace(len(before), brace, separator+field)
		return
	}
	indent += "\t"
	if n := len(s.Elts); n > 0 {
		if first := s.Elts[n-1].Pos().Offset(); len(bytes.TrimSpace(t.Data[lineStart(t.Data, first):first])) == 0 {
			indent = string(t.Data[lineStart(t.Data, first):first])
		}
	}
	end := t.lineEnd(line)
	var added strings.Builder
	if above := bytes.TrimSpace(t.Data[lineStart(t.Data, max(line-1, 0)):line]); apart || bytes.HasPrefix(above, []byte("//")) {
		added.WriteString(end)
	}
	for part := range strings.SplitSeq(field, "\n") {
		added.WriteString(indent + part + end)
	}
	t.Replace(line, line, added.String())
}

// Cut removes a field with its comments, and its lines if nothing else is on them.
func (t *Text) Cut(field *ast.Field) {
	start, end := begin(field), field.End().Offset()
	line, rest := lineStart(t.Data, start), firstLine(t.Data[end:])
	if len(bytes.TrimSpace(t.Data[line:start])) > 0 || !ends(string(rest)) { // it does not stand alone
		after := bytes.TrimLeft(t.Data[end:], " \t")
		if bytes.HasPrefix(after, []byte(",")) {
			after = bytes.TrimLeft(after[1:], " \t")
			t.Replace(start, len(t.Data)-len(after), "")
			return
		}
		before := bytes.TrimRight(t.Data[:start], " \t,")
		t.Replace(len(before), end, "")
		return
	}
	stop := min(end+len(rest)+1, len(t.Data))
	// An empty line before it goes, too.
	if above := lineStart(t.Data, max(line-1, 0)); line > 0 && len(bytes.TrimSpace(t.Data[above:line])) == 0 {
		if after := bytes.TrimSpace(firstLine(t.Data[stop:])); len(after) == 0 || after[0] == '}' {
			line = above
		}
	}
	t.Replace(line, stop, "")
}

// Append puts a field at the end of the file.
func (t *Text) Append(field string) {
	end := "\n"
	if bytes.Contains(t.Data, []byte("\r\n")) {
		end = "\r\n"
	}
	begin := end
	if len(t.Data) > 0 && t.Data[len(t.Data)-1] != '\n' {
		begin = end + end
	}
	t.Replace(len(t.Data), len(t.Data), begin+strings.ReplaceAll(field, "\n", end)+end)
}

// Replace replaces bytes.
func (t *Text) Replace(start, end int, text string) {
	t.Data = slices.Concat(t.Data[:start], []byte(text), t.Data[end:])
}

// Done returns the file, formatted if it was formatted before.
func (t *Text) Done() ([]byte, error) {
	if !t.Clean {
		_, err := parser.ParseFile(t.Name, t.Data)
		return t.Data, err
	}
	out, err := format.Source(t.Data)
	if err != nil {
		return nil, fmt.Errorf("edit %s: %w", t.Name, err)
	}
	return out, nil
}

// lineEnd returns how the line before an offset ends.
func (t *Text) lineEnd(offset int) string {
	if bytes.HasSuffix(t.Data[:offset], []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func lineStart(data []byte, offset int) int { return bytes.LastIndexByte(data[:offset], '\n') + 1 }

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}

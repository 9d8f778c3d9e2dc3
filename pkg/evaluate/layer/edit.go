package layer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
)

// edited is a file in which fields are added and removed. Everything else stays as people
// wrote it.
type edited struct {
	name  string
	data  []byte
	clean bool // the file was as "cue fmt" would write it
}

func edit(file Source) edited {
	again, err := format.Source(file.Data)
	return edited{name: file.Name, data: file.Data, clean: err == nil && bytes.Equal(again, file.Data)}
}

// siblings counts declarations.
func siblings(decls []ast.Decl) (n int) {
	for _, d := range decls {
		if _, ok := d.(*ast.CommentGroup); !ok {
			n++
		}
	}
	return n
}

// add puts a field at the end of the braces of another.
func (p *edited) add(field *ast.Field, text string) {
	s := field.Value.(*ast.StructLit)
	brace := s.Rbrace.Offset()
	line := bytes.LastIndexByte(p.data[:brace], '\n') + 1
	indent := string(p.data[line:brace])
	if strings.TrimSpace(indent) != "" || line <= s.Lbrace.Offset() { // the brace does not stand alone
		before := strings.TrimRight(string(p.data[:brace]), " \t")
		separator := ", "
		if strings.HasSuffix(before, "{") || strings.HasSuffix(before, ",") || strings.HasSuffix(before, "\n") {
			separator = ""
		}
		p.replace(len(before), brace, separator+strings.TrimSpace(text))
		return
	}
	var added strings.Builder
	for part := range strings.SplitSeq(text, "\n") {
		if part != "" {
			part = indent + "\t" + part
		}
		added.WriteString(part + "\n")
	}
	p.replace(line, line, added.String())
}

// cut removes a field with its comments, and its lines if nothing else is on them.
func (p *edited) cut(field *ast.Field) {
	start, end := field.Pos().Offset(), field.End().Offset()
	for _, c := range ast.Comments(field) {
		if c.Doc {
			start = min(start, c.Pos().Offset())
		}
	}
	line := bytes.LastIndexByte(p.data[:start], '\n') + 1
	rest := p.data[end:]
	next := bytes.IndexByte(rest, '\n')
	if next < 0 {
		next = len(rest)
	}
	behind := bytes.Trim(rest[:next], " \t\r,")
	alone := len(bytes.TrimSpace(p.data[line:start])) == 0 && (len(behind) == 0 || bytes.HasPrefix(behind, []byte("//")))
	if !alone {
		after := bytes.TrimLeft(rest, " \t")
		if bytes.HasPrefix(after, []byte(",")) {
			after = bytes.TrimLeft(after[1:], " \t")
			p.replace(start, len(p.data)-len(after), "")
			return
		}
		before := bytes.TrimRight(p.data[:start], " \t,")
		p.replace(len(before), end, "")
		return
	}
	stop := min(end+next+1, len(p.data))
	// An empty line before it goes, too.
	if before := p.data[:line]; bytes.HasSuffix(before, []byte("\n\n")) {
		if after := bytes.TrimSpace(firstLine(p.data[stop:])); len(after) == 0 || after[0] == '}' {
			line--
		}
	}
	p.replace(line, stop, "")
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}

func (p *edited) replace(start, end int, text string) {
	p.data = slices.Concat(p.data[:start], []byte(text), p.data[end:])
}

// done returns the file, formatted if it was formatted before.
func (p *edited) done() ([]byte, error) {
	if !p.clean {
		_, err := parser.ParseFile(p.name, p.data)
		return p.data, err
	}
	out, err := format.Source(p.data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("edit %s", p.name), err)
	}
	return out, nil
}

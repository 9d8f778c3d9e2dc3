package cuefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
)

// arrange carries out an edit of the elements of a list.
func (e Edit) arrange(files []File, indexes [][]Place, value string) error {
	path, at := e.Path, -1
	if e.Op != Add {
		var err error
		last := len(e.Path) - 1
		if at, err = strconv.Atoi(e.Path[last]); err != nil || at < 0 {
			return fmt.Errorf("%s %s: the path does not end with the index of an element", e.Op, strings.Join(e.Path, "."))
		}
		path = e.Path[:last]
	}
	var list *Place
	in := 0
	for i, places := range indexes {
		for j, p := range places {
			if !slices.Equal(p.Path, path) {
				continue
			}
			switch {
			case list != nil:
				p.Why = "is written here and at " + list.Pos.String()
			case p.Kind == Literal || p.Kind == Struct:
				p.Why = "is no list"
			case p.Kind == List:
				list, in = &places[j], i
				continue
			}
			return Edit{Path: path, Op: e.Op}.refuse(p)
		}
	}
	if list == nil && e.Op == Add {
		return Edit{Path: path, Op: Set}.insert(files, indexes, "["+value+"]")
	}
	if list == nil {
		return fmt.Errorf("%s %s: no file has the list", e.Op, strings.Join(e.Path, "."))
	}
	want := elements(files[in], *list)
	elts := list.value.(*ast.ListLit).Elts
	if n := len(elts); n > 0 {
		if _, open := elts[n-1].(*ast.Ellipsis); open {
			elts = elts[:n-1]
		}
	}
	if at < 0 {
		at = len(elts)
	}
	if at > len(elts) || (e.Op == Remove || e.Op == Move) && at == len(elts) || e.Op == Move && (e.To < 0 || e.To >= len(elts)) {
		return fmt.Errorf("%s: the list %s has %d elements", list.Pos, strings.Join(path, "."), len(elts))
	}
	t := Open(files[in])
	switch e.Op {
	case Add, Insert:
		t.addElement(list, elts, at, value)
		want = slices.Insert(want, at, formatted(value))
	case Remove:
		t.cutElement(elts, at)
		want = slices.Delete(want, at, at+1)
	case Move:
		start := begin(elts[at])
		indent := string(t.Data[lineStart(t.Data, start):start])
		moved := strings.ReplaceAll(string(t.Data[start:elts[at].End().Offset()]), "\r\n", "\n")
		moved = strings.ReplaceAll(moved, "\n"+indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))], "\n")
		t.cutElement(elts, at)
		middle := File{t.Name, t.Data}
		places, err := Index(middle)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(places, func(p Place) bool { return slices.Equal(p.Path, path) })
		t.addElement(&places[i], places[i].value.(*ast.ListLit).Elts, e.To, moved)
		own := want[at]
		want = slices.Insert(slices.Delete(want, at, at+1), e.To, own)
	}
	f := files[in]
	if err := (Edit{Path: path, Op: e.Op}).save(&f, t); err != nil {
		return err
	}
	places, err := Index(f)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(places, func(p Place) bool { return slices.Equal(p.Path, path) })
	if i < 0 || !slices.Equal(want, elements(f, places[i])) {
		return fmt.Errorf("%s: to %s an element of %s would change others, too; edit it by hand", list.Pos, e.Op, strings.Join(path, "."))
	}
	files[in] = f
	return nil
}

// elements returns what the elements of a list say, with "..." where it is open.
func elements(f File, list Place) (says []string) {
	for _, x := range list.value.(*ast.ListLit).Elts {
		says = append(says, formatted(string(f.Data[x.Pos().Offset():x.End().Offset()])))
	}
	return says
}

// formatted returns an expression in one spelling.
func formatted(x string) string {
	text, err := format.Source([]byte("x: " + strings.ReplaceAll(x, "\r\n", "\n")))
	if err != nil {
		return x
	}
	return string(text)
}

// addElement puts an element before another, or behind the last one.
func (t *Text) addElement(list *Place, elts []ast.Expr, at int, value string) {
	if len(elts) == 0 {
		t.Replace(list.Start+1, list.Start+1, value)
		return
	}
	before := elts[min(at, len(elts)-1)]
	start := begin(before)
	line := lineStart(t.Data, start)
	indent := string(t.Data[line:start])
	alone := strings.TrimSpace(indent) == ""
	if !alone {
		indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	}
	end := t.lineEnd(line)
	value = strings.ReplaceAll(value, "\n", end+indent)
	stop := before.End().Offset()
	rest := string(firstLine(t.Data[stop:]))
	switch {
	case at < len(elts) && alone:
		t.Replace(line, line, indent+value+","+end)
	case at < len(elts):
		t.Replace(start, start, value+", ")
	case alone && ends(rest):
		if !strings.HasPrefix(strings.TrimLeft(rest, " \t"), ",") {
			t.Replace(stop, stop, ",")
			stop++
		}
		next := stop + len(firstLine(t.Data[stop:])) + 1
		t.Replace(next, next, indent+value+","+end)
	default:
		t.Replace(stop, stop, ", "+value)
	}
}

// cutElement removes an element with the comments above and behind it.
func (t *Text) cutElement(elts []ast.Expr, at int) {
	start, end := begin(elts[at]), elts[at].End().Offset()
	line, rest := lineStart(t.Data, start), string(firstLine(t.Data[end:]))
	switch {
	case strings.TrimSpace(string(t.Data[line:start])) == "" && strings.Contains(rest, ",") && ends(rest):
		t.Replace(line, min(end+len(rest)+1, len(t.Data)), "")
	case at+1 < len(elts):
		t.Replace(start, begin(elts[at+1]), "")
	case at > 0:
		t.Replace(elts[at-1].End().Offset(), end, "")
	default:
		before, _, comma := strings.Cut(rest, ",")
		if comma && strings.TrimSpace(before) == "" {
			end += len(before) + 1
		}
		t.Replace(start, end, "")
	}
}

// ends reports whether a line has nothing more than a comma and a comment.
func ends(line string) bool {
	behind := strings.Trim(line, " \t\r,")
	return behind == "" || strings.HasPrefix(behind, "//")
}

// begin returns where an element or a field begins, with the comments above it.
func begin(x ast.Node) int {
	start := x.Pos().Offset()
	for _, c := range ast.Comments(x) {
		if c.Doc {
			start = min(start, c.Pos().Offset())
		}
	}
	return start
}

package cuefile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// An Op is what an edit does with its path.
type Op string

// Operations on fields, and on the elements of a list that is written in one place.
const (
	Set    Op = "set"    // give it a value, wherever it is written; write it if it is nowhere
	Unset  Op = "unset"  // take it out, with the fields above it that hold nothing else
	Add    Op = "add"    // put an element at the end of the list at the path; write the list if it is nowhere
	Insert Op = "insert" // put an element where the path says, before the one that is there
	Remove Op = "remove" // take out the element at the path
	Move   Op = "move"   // put the element at the path elsewhere in its list
	Rename Op = "rename" // give the field at the path another name, which stands where it stood
)

// An Edit changes one path.
type Edit struct {
	Path  []string
	Op    Op
	Value any // of Set, Add and Insert: what encoding/json can encode; of Rename: the name
	To    int // of Move: the index that the element has afterwards
}

// Apply carries out edits of the files of one package, one after the other. It returns the files
// that changed, in order, and changes nothing if one of the edits cannot be done.
func Apply(files []File, edits ...Edit) ([]File, error) {
	now := slices.Clone(files)
	for _, e := range edits {
		if err := e.apply(now); err != nil {
			return nil, err
		}
	}
	var changed []File
	for i, f := range now {
		if string(f.Data) != string(files[i].Data) {
			changed = append(changed, f)
		}
	}
	return changed, nil
}

// apply carries out an edit in place.
func (e Edit) apply(files []File) error {
	if len(e.Path) == 0 {
		return fmt.Errorf("%s: the path is empty", e.Op)
	}
	indexes := make([][]Place, len(files))
	written := false
	for i, f := range files {
		var err error
		if indexes[i], err = Index(f); err != nil {
			return err
		}
		for _, p := range indexes[i] {
			if !slices.Equal(p.Path, e.Path) {
				continue
			}
			written = true
			if (e.Op == Set || e.Op == Unset) && p.Why == conditional || e.Op == Set && (p.Kind == Computed || p.Kind == Struct) {
				return e.refuse(p)
			}
		}
	}
	value := ""
	if e.Op == Set || e.Op == Add || e.Op == Insert {
		var err error
		if value, err = Encode(e.Value); err != nil {
			return fmt.Errorf("%s %s: %w", e.Op, strings.Join(e.Path, "."), err)
		}
	}
	switch e.Op {
	case Set, Unset:
	case Add, Insert, Remove, Move:
		return e.arrange(files, indexes, value)
	case Rename:
		return e.rename(files, indexes)
	default:
		return fmt.Errorf("%s: there is no operation %q", strings.Join(e.Path, "."), e.Op)
	}
	if !written && e.Op == Set {
		return e.insert(files, indexes, value)
	}
	for i, f := range files {
		here := slices.DeleteFunc(indexes[i], func(p Place) bool { return !slices.Equal(p.Path, e.Path) })
		if len(here) == 0 {
			continue
		}
		t := Open(f)
		var cut *ast.Field
		for _, p := range slices.Backward(here) {
			switch {
			case e.Op == Set:
				t.Replace(p.Start, p.End, value)
			case p.Whole == nil:
				return e.refuse(p)
			case p.Whole != cut: // a conjunction has several values
				cut = p.Whole
				t.Cut(cut)
			}
		}
		if err := e.save(&files[i], t); err != nil {
			return err
		}
	}
	return nil
}

// refuse returns the error for a place that cannot be edited.
func (e Edit) refuse(p Place) error {
	why := p.Why
	switch {
	case why != "":
	case p.Kind == Struct:
		why = "has fields of its own"
	default:
		why = "is an element of a list"
	}
	return fmt.Errorf("%s: %s %s; edit it by hand", p.Pos, strings.Join(e.Path, "."), why)
}

// save keeps an edited text, if everything else is still there.
func (e Edit) save(f *File, t Text) error {
	data, err := t.Done()
	if err != nil {
		return err
	}
	before, err := e.others(*f)
	if err != nil {
		return err
	}
	after, err := e.others(File{f.Name, data})
	if err != nil {
		return err
	}
	lost := e.Op != Unset && e.Op != Remove && comments(*f) != comments(File{f.Name, data})
	if lost || !slices.Equal(before, after) {
		return fmt.Errorf("%s: to %s %s would change something else, too; edit it by hand", f.Name, e.Op, strings.Join(e.Path, "."))
	}
	f.Data = data
	return nil
}

// comments counts the comments of a file.
func comments(f File) (n int) {
	tree, err := parse(f)
	if err == nil {
		ast.Walk(tree, func(x ast.Node) bool {
			if group, ok := x.(*ast.CommentGroup); ok {
				n += len(group.List)
			}
			return true
		}, nil)
	}
	return n
}

// others returns what a file says about all other paths.
func (e Edit) others(f File) (says []string, err error) {
	places, err := Index(f)
	for _, p := range places {
		switch p.value.(type) {
		case *ast.StructLit, *ast.ListLit:
			continue // what is in it says so
		}
		if slices.Equal(p.Path[:min(len(p.Path), len(e.Path))], e.Path) {
			continue
		}
		text, err := format.Source(f.Data[p.Start:p.End])
		if err != nil {
			text = f.Data[p.Start:p.End]
		}
		says = append(says, strings.Join(p.Path, "\x00")+"\x00"+string(text))
	}
	return says, err
}

// insert writes a path that is nowhere: into the deepest struct above it that is written, or at the end
// of the file that says most about what is around it.
func (e Edit) insert(files []File, indexes [][]Place, value string) error {
	best, depth := -1, -1
	var computed *Place
	for i, places := range indexes {
		n := 0
		for j, p := range places {
			if len(p.Path) < len(e.Path) && slices.Equal(p.Path, e.Path[:len(p.Path)]) {
				if p.Kind == Struct {
					n = max(n, 2*len(p.Path))
				} else if computed == nil || len(computed.Path) < len(p.Path) {
					computed = &places[j]
				}
			}
			if len(p.Path) == 2 && p.Path[0] == e.Path[0] && p.Path[1] == "name" && n < 4 {
				n = max(n, 3) // the file with the name of what is described
			}
		}
		if n > depth {
			best, depth = i, n
		}
	}
	if computed != nil && 2*len(computed.Path) >= depth {
		computed.Why = cmp.Or(computed.Why, "is no struct")
		return Edit{Path: computed.Path, Op: e.Op}.refuse(*computed)
	}
	if best < 0 {
		return fmt.Errorf("set %s: there is no file that could hold it", strings.Join(e.Path, "."))
	}
	t := Open(files[best])
	var into *Place
	longest := 0 // how much of the path is written in some form
	for j, p := range indexes[best] {
		if p.Kind != Struct || len(p.Path) >= len(e.Path) || !slices.Equal(p.Path, e.Path[:len(p.Path)]) {
			continue
		}
		longest = max(longest, len(p.Path))
		if p.braces != nil && (into == nil || len(p.Path) > len(into.Path)) {
			into = &indexes[best][j]
		}
	}
	if into == nil {
		t.Append(Label(e.Path...) + value)
	} else {
		t.Add(into.braces, Label(e.Path[len(into.Path):]...)+value, longest == len(into.Path) && len(into.Path) == 1)
	}
	return e.save(&files[best], t)
}

// Label writes the labels of a path in one line, as they stand before a value.
func Label(path ...string) string {
	var out strings.Builder
	for _, name := range path {
		if ast.StringLabelNeedsQuoting(name) {
			name = literal.String.Quote(name)
		}
		out.WriteString(name + ": ")
	}
	return out.String()
}

// Encode writes a value as CUE, with the fields of objects in the order that encoding/json gives them.
func Encode(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	// A byte order mark stops the parser, wherever it is. In JSON it can only be in a string.
	in := cuecontext.New().Encode(asJSON(bytes.ReplaceAll(b, []byte("\ufeff"), []byte(`\ufeff`))))
	if err := in.Err(); err != nil {
		return "", err
	}
	syntax := in.Syntax(cue.Final(), cue.Concrete(true))
	ast.Walk(syntax, func(n ast.Node) bool {
		// A string over several lines would depend on the indent of where it is put, and on how lines end there.
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.HasPrefix(lit.Value, `"""`) {
			if s, err := literal.Unquote(lit.Value); err == nil {
				lit.Value = literal.String.Quote(s)
			}
		}
		return true
	}, nil)
	text, err := format.Node(syntax)
	return strings.TrimSpace(string(text)), err
}

// asJSON is a value that is encoded already.
type asJSON []byte

// MarshalJSON returns it.
func (j asJSON) MarshalJSON() ([]byte, error) { return j, nil }

package cuefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
)

// rename gives the field at the path another label, wherever it is written. Whoever refers to the field has to be told: the
// evaluation of the files says who does.
func (e Edit) rename(files []File, indexes [][]Place) error {
	label, ok := e.Value.(string)
	if !ok || label == "" {
		return fmt.Errorf("rename %s: the value is not the new name", strings.Join(e.Path, "."))
	}
	last := len(e.Path) - 1
	to := append(slices.Clone(e.Path[:last]), label)
	found := false
	for _, places := range indexes {
		for _, p := range places {
			switch {
			case slices.Equal(p.Path, to):
				return fmt.Errorf("%s: %s is there already", p.Pos, strings.Join(to, "."))
			case !slices.Equal(p.Path, e.Path):
			case p.Field == nil || p.Why == conditional:
				return e.refuse(p)
			default:
				found = true
			}
		}
	}
	if !found {
		return fmt.Errorf("rename %s: no file has it", strings.Join(e.Path, "."))
	}
	name := strings.TrimSuffix(Label(label), ": ")
	for i, f := range files {
		var fields []*ast.Field // once each: a conjunction has several values
		for _, p := range indexes[i] {
			if slices.Equal(p.Path, e.Path) && !slices.Contains(fields, p.Field) {
				fields = append(fields, p.Field)
			}
		}
		if len(fields) == 0 {
			continue
		}
		slices.SortFunc(fields, func(a, b *ast.Field) int { return cmp.Compare(b.Pos().Offset(), a.Pos().Offset()) })
		t := Open(f)
		for _, field := range fields {
			at := ast.Node(field.Label)
			if alias, ok := at.(*ast.Alias); ok {
				at = alias.Expr // those who refer to the field by the alias go on
			}
			t.Replace(at.Pos().Offset(), at.End().Offset(), name)
		}
		data, err := t.Done()
		if err != nil {
			return err
		}
		if err := e.keeps(f, File{f.Name, data}, to); err != nil {
			return err
		}
		files[i].Data = data
	}
	return nil
}

// keeps returns an error unless a file says the same after a rename, but for the name.
func (e Edit) keeps(before, after File, to []string) error {
	all := Edit{Path: []string{"\x00"}} // no file has this path
	was, err := all.others(before)
	if err != nil {
		return err
	}
	is, err := all.others(after)
	if err != nil {
		return err
	}
	old, now := strings.Join(e.Path, "\x00")+"\x00", strings.Join(to, "\x00")+"\x00"
	for i := range was {
		if rest, below := strings.CutPrefix(was[i], old); below {
			was[i] = now + rest
		}
	}
	if comments(before) != comments(after) || !slices.Equal(was, is) {
		return fmt.Errorf("%s: to rename %s would change something else, too; edit it by hand", before.Name, strings.Join(e.Path, "."))
	}
	return nil
}

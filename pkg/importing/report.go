package importing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// A Report says what became of the values of a file.
type Report struct {
	Format   Format   `json:"format"`
	Fields   int      `json:"fields"`   // values of the file that say something about an application
	Kept     int      `json:"kept"`     // are in what was written
	Withheld int      `json:"withheld"` // are left to a Secret, to which what was written refers
	Lost     []Loss   `json:"lost"`     // what was not kept, by line
	Secrets  []Secret `json:"secrets"`  // to make before the application starts, by name
	Notes    []string `json:"notes"`    // what a person is to look at
}

// A Loss is a field of the file that was not kept, with all below it.
type Loss struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Fields  int    `json:"fields"` // values
	Reason  string `json:"reason"`
	Instead string `json:"instead,omitempty"` // what to write
}

// A Secret is a Secret of the namespace that somebody has to make.
type Secret struct {
	Name string   `json:"name"`
	Keys []string `json:"keys"`
}

// Whole reports whether nothing was lost.
func (r *Report) Whole() bool { return len(r.Lost) == 0 }

// why is the reason why a field was not kept, and what to write instead.
type why struct{ reason, instead string }

func (w *why) Error() string { return w.reason }

// because refuses a value.
func because(reason, instead string) error { return &why{reason, instead} }

// lose says that a node was not kept, unless it has nothing that is not yet told.
func (t *translation) lose(n *node, err error) {
	count := mark(lost, n)
	if count == 0 {
		return
	}
	l := Loss{Path: text.Clean(cmp.Or(n.path(), "the document")), Line: n.line, Fields: count, Reason: err.Error()}
	if w, ok := err.(*why); ok {
		l.Instead = w.instead
	}
	t.report.Lost = append(t.report.Lost, l)
}

// keeping keeps nodes unless there is an error, which it returns.
func keeping(err error, nodes ...*node) error {
	if err == nil {
		mark(kept, nodes...)
	}
	return err
}

// sweep loses what nobody asked for: the outermost node of which nothing was asked.
func (t *translation) sweep(n *node, name string) {
	switch {
	case name == "namespace" && n.string() == "default": // where nobody chose one
		mark(ignored, n)
	case n.open() && n.up != nil:
		t.lose(n, reasonFor(name))
	case n.kind == mapping:
		for _, k := range n.keys {
			t.sweep(k.node, k.name)
		}
	case n.kind == sequence:
		for _, e := range n.list {
			t.sweep(e, name)
		}
	}
}

// count completes the report.
func (t *translation) count(docs []*node) {
	r := &t.report
	for _, d := range docs {
		t.sweep(d, "")
		d.leaves(func(s *node) {
			switch s.fate {
			case ignored:
				return
			case kept:
				r.Kept++
			case withheld:
				r.Withheld++
			}
			r.Fields++
		})
	}
	slices.SortStableFunc(r.Lost, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Path, b.Path))
	})
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
}

package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// outcomes shows what the cluster does not carry as it was told, and what was put back
// after others had changed it, and what nodes do not keep.
func (p *page) outcomes(in *model.Instance) {
	refused := slices.DeleteFunc(slices.Clone(in.Outcomes), func(o model.Outcome) bool { return o.OfNodes() })
	ofNodes := slices.DeleteFunc(slices.Clone(in.Outcomes), func(o model.Outcome) bool { return !o.OfNodes() })
	p.table("What the cluster refuses", []string{"Object", "Component", "Reason", "Field", "Why", "Since", "Tried again"}, rowsOf(refused, func(o model.Outcome) []string {
		return []string{objectsOf(&o), code(o.Component), escape(string(o.Reason)), code(o.Field), escape(o.Message), moment(o.First), tried(&o)}
	}))
	p.table("What nodes do not keep", []string{"Node", "Component", "Reason", "Promise", "Why", "Since"}, rowsOf(ofNodes, func(o model.Outcome) []string {
		return []string{objectsOf(&o), code(o.Component), escape(string(o.Reason)), code(o.Field), escape(o.Message), moment(o.First)}
	}))
	p.table("What others changed, and was put back", []string{"Object", "Fields", "By", "Times", "Last"}, rowsOf(in.Drift, func(d model.Drift) []string {
		fields := "the whole object was gone"
		if len(d.Fields) > 0 {
			fields = code(strings.Join(d.Fields, ", "))
		}
		return []string{code(d.Object), fields, escape(d.Manager), fmt.Sprint(d.Count), moment(d.Time)}
	}))
}

// objectsOf names the first object, and counts the others.
func objectsOf(o *model.Outcome) string {
	if o.Objects > 1 {
		return code(o.Object) + fmt.Sprintf(" and %d more", o.Objects-1)
	}
	return code(o.Object)
}

// tried says when an object is tried again. The waits between attempts grow.
func tried(o *model.Outcome) string {
	if o.Next.IsZero() {
		return "by the cluster"
	}
	return moment(o.Next) + ", then at least every 5 minutes"
}

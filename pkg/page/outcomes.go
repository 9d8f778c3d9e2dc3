package page

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// outcomes shows what the cluster does not carry as it was told, and what was put back
// after others had changed it.
func (p *page) outcomes(in *model.Instance) {
	p.table("What the cluster refuses", []string{"Object", "Component", "Reason", "Field", "Why", "Since", "Tried again"}, rowsOf(in.Outcomes, func(o model.Outcome) []string {
		object := code(o.Object)
		if o.Objects > 1 {
			object += fmt.Sprintf(" and %d more", o.Objects-1)
		}
		return []string{object, code(o.Component), escape(string(o.Reason)), code(o.Field), escape(o.Message), moment(o.First), tried(&o)}
	}))
	p.table("What others changed, and was put back", []string{"Object", "Fields", "By", "Times", "Last"}, rowsOf(in.Drift, func(d model.Drift) []string {
		fields := "the whole object was gone"
		if len(d.Fields) > 0 {
			fields = code(strings.Join(d.Fields, ", "))
		}
		return []string{code(d.Object), fields, escape(d.Manager), fmt.Sprint(d.Count), moment(d.Time)}
	}))
}

// tried says when an object is tried again. The waits between attempts grow.
func tried(o *model.Outcome) string {
	if o.Next.IsZero() {
		return "by the cluster"
	}
	return moment(o.Next) + ", then at least every 5 minutes"
}

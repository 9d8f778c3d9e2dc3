package layer

import (
	"bytes"
	"fmt"

	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"

	"github.com/d-aros/d-aros/pkg/model"
)

// WriteApproval returns a file of approvals with one command, under a name that people
// choose.
func WriteApproval(name string, c model.Command) ([]byte, error) {
	var b bytes.Buffer
	quote := literal.String.Quote
	fmt.Fprintf(&b, "package fleet\n\napproval: %s: {\n\trun: %s\n\taction: %s\n", quote(name), quote(string(c.Run)), quote(c.Action))
	if c.Step != "" {
		fmt.Fprintf(&b, "\tstep: %s\n", quote(c.Step))
	}
	if c.Stage > 0 {
		fmt.Fprintf(&b, "\tstage: %d\n", c.Stage)
	}
	if c.Why != "" {
		fmt.Fprintf(&b, "\twhy: %s\n", quote(c.Why))
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

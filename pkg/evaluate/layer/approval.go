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
	fmt.Fprintf(&b, "package fleet\n\napproval: %s: {\n", quote(name))
	for _, field := range [][2]string{{"run", string(c.Run)}, {"action", c.Action}, {"step", c.Step}, {"release", string(c.Release)}, {"why", c.Why}} {
		if field[1] != "" {
			fmt.Fprintf(&b, "\t%s: %s\n", field[0], quote(field[1]))
		}
		if field[0] == "step" && c.Stage > 0 {
			fmt.Fprintf(&b, "\tstage: %d\n", c.Stage)
		}
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// WriteRemoval returns a file that confirms the removal of instances.
func WriteRemoval(instances []model.InstanceID) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("package fleet\n\nremoval: [\n")
	for _, id := range instances {
		fmt.Fprintf(&b, "\t%s,\n", literal.String.Quote(id.String()))
	}
	b.WriteString("]\n")
	return format.Source(b.Bytes())
}

package evaluate

import (
	"bytes"
	"fmt"
	"strings"

	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"

	"github.com/d-aros/d-aros/pkg/model"
)

// ApprovalFile writes a command as the one file of an approval. The file is named
// for what it asks, and the nth of that name has a number. Names of files are unique
// in their directory, so the names in them are.
func ApprovalFile(app model.AppID, c model.Command, n int) (Approval, []byte, error) {
	const most = 56 // characters, so that there is room for a number
	name := strings.TrimSuffix(fmt.Sprintf("%s-%s-%s", c.Run[:min(12, len(c.Run))], c.Action, c.Step), "-")
	name = strings.TrimRight(name[:min(most, len(name))], "-")
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	var b bytes.Buffer
	quote := literal.String.Quote
	fmt.Fprintf(&b, "package fleet\n\napproval: %s: {\n\trun: %s\n\taction: %s\n", quote(name), quote(string(c.Run)), quote(c.Action))
	for _, field := range [][2]string{{"step", c.Step}, {"why", c.Why}} {
		if field[1] != "" {
			fmt.Fprintf(&b, "\t%s: %s\n", field[0], quote(field[1]))
		}
	}
	b.WriteString("}\n")
	data, err := format.Source(b.Bytes())
	if err != nil {
		return Approval{}, nil, fmt.Errorf("write an approval: %w", err)
	}
	a := Approval{App: app, File: fmt.Sprintf("approvals/%s/%s/%s.cue", app.Tenant, app.Name, name)}
	r := evaluateApproval(source{a.File, data})
	if len(r.problems) > 0 {
		return Approval{}, nil, fmt.Errorf("write an approval: %s %s", r.problems[0].Code, r.problems[0].Message)
	}
	a.Commands = r.commands
	return a, data, nil
}

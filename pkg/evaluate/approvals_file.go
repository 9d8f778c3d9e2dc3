package evaluate

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// ApprovalFile writes a command as the only file of an approval. The file is named for
// the run or the release, the action and the step, and the nth file of that name has a number. So the
// names in the files of one directory are unique, too.
func ApprovalFile(app model.AppID, c model.Command, n int) (Approval, []byte, error) {
	const most = 56 // characters, so that there is room for a number
	about := cmp.Or(c.Run, c.Release)
	name := strings.TrimSuffix(fmt.Sprintf("%s-%s-%s", about[:min(12, len(about))], c.Action, c.Step), "-")
	name = strings.TrimRight(name[:min(most, len(name))], "-")
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	data, err := layer.WriteApproval(name, c)
	if err != nil {
		return Approval{}, nil, fmt.Errorf("write an approval: %w", err)
	}
	a := Approval{App: app, File: fmt.Sprintf("approvals/%s/%s/%s.cue", app.Tenant, app.Name, name)}
	commands, problems := decode.Approval(layer.Approval("approval", layer.Source{Name: a.File, Data: data}))
	if len(problems) > 0 {
		return Approval{}, nil, fmt.Errorf("write an approval: %s %s", problems[0].Code, problems[0].Message)
	}
	a.Commands = commands
	return a, data, nil
}

// RemovalFile writes a file that confirms the removal of instances of one tenant, in their
// order. It is named for what it confirms.
func RemovalFile(tenant string, instances []model.InstanceID) (name string, data []byte, err error) {
	data, err = layer.WriteRemoval(instances)
	if err == nil && len(data) > maxRemoval {
		err = fmt.Errorf("its file has more than %d KiB; confirm some of these removals first", maxRemoval>>10)
	}
	name = fmt.Sprintf("approvals/%s/%s/%s.cue", tenant, model.RemovalsDir, model.DigestOf(instances)[:12])
	if err == nil {
		if _, problems := Removals(tenant, name, data); len(problems) > 0 {
			err = fmt.Errorf("%s %s", problems[0].Code, problems[0].Message)
		}
	}
	if err != nil {
		return "", nil, fmt.Errorf("confirm a removal in tenant %s: %w", tenant, err)
	}
	return name, data, nil
}

// Removals evaluates one file that confirms removals in a tenant.
func Removals(tenant, name string, data []byte) ([]model.InstanceID, []model.Problem) {
	return decode.Removal(layer.Approval("removal", layer.Source{Name: name, Data: data}), tenant)
}

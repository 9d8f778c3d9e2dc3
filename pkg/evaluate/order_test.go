package evaluate

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestOrderOfSteps: listed steps depend each on the one before it. Parallel ones say
// nothing, as those of a release that was accepted before there was an order: such a
// release keeps its digest when its order is written, so nothing runs again.
func TestOrderOfSteps(t *testing.T) {
	with := func(order string) *model.Application {
		files := archive(t, "full.txtar")
		for i := range files.Files {
			if f := &files.Files[i]; f.Name == "tenants/acme/apps/old/app.cue" {
				f.Data = slices.Concat(f.Data, []byte(`
application: workflow: {
	order: "`+order+`"
	steps: [
		{name: "first", type: "deploy"},
		{name: "second", type: "wait", properties: for: "1m"},
		{name: "third", type: "wait", properties: for: "1m"},
	]
}
`))
			}
		}
		f := New().Fleet("cccc", unpack(files), func(string) (Files, error) { return unpack(files), nil })
		require.Empty(t, report(f))
		for i := range f.Applications {
			if f.Applications[i].ID.Name == "old" {
				return f.Applications[i]
			}
		}
		t.Fatal("there is no such application")
		return nil
	}
	parallel, listed := with("parallel"), with("listed")
	require.Equal(t, [][]string{nil, {"first"}, {"second"}}, depends(listed))
	require.Equal(t, [][]string{nil, nil, nil}, depends(parallel))
	require.NotEqual(t, parallel.Release, listed.Release)

	stored, err := json.Marshal(parallel)
	require.NoError(t, err)
	require.NotContains(t, string(stored), `"order"`)
	var before model.Application
	require.NoError(t, json.Unmarshal(stored, &before))
	require.Equal(t, before.Released().Release, parallel.Release)
}

func depends(a *model.Application) (on [][]string) {
	for _, s := range a.Workflow.Steps {
		on = append(on, s.DependsOn)
	}
	return on
}

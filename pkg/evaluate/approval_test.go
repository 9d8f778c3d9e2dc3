package evaluate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// A file may decide several things. What it does not say is approve.
func TestApprovals(t *testing.T) {
	file := layer.Source{Name: "approvals/acme/shop/friday.cue", Data: []byte(`package fleet

approval: {
	"3f2a91c0-agree": {run: "3f2a91c04be7", step: "agree", why: "tested on Thursday"}
	again: {run: "3f2a91c04be75d0c3f2a91c04be75d0c", action: "restart"}
}
`)}
	want := []model.Command{
		{Action: "approve", Run: "3f2a91c04be7", Step: "agree", Why: "tested on Thursday"},
		{Action: "restart", Run: "3f2a91c04be75d0c3f2a91c04be75d0c"},
	}
	e := Through(newOther())
	for range 2 { // once recalled
		r, err := e.evaluate("acme", "digest", request{Layer: "approval", Files: []layer.Source{file}})
		require.NoError(t, err)
		require.Empty(t, r.Problems)
		require.Equal(t, want, r.Commands)
	}
	file.Data = []byte("package fleet\n\napproval: {}\n")
	r, err := e.evaluate("acme", "of nothing", request{Layer: "approval", Files: []layer.Source{file}})
	require.NoError(t, err)
	require.Equal(t, "DA1103 approval: must decide something\n  approvals/acme/shop/friday.cue:3:11", r.Problems[0].String())
}

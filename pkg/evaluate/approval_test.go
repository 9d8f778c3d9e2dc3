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
	for name, e := range map[string]*Evaluator{"here": New(nil), "elsewhere": Through(newOther())} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // once out of memory
				r, err := e.approvalOf("digest", file)
				require.NoError(t, err)
				require.Empty(t, r.problems)
				require.Equal(t, want, r.commands)
			}
			r, err := e.approvalOf("of nothing", layer.Source{Name: file.Name, Data: []byte("package fleet\n\napproval: {}\n")})
			require.NoError(t, err)
			require.Equal(t, "DA1103 approval: must decide something\n  approvals/acme/shop/friday.cue:3:11", r.problems[0].String())
		})
	}
}

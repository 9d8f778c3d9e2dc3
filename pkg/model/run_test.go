package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestCommandsNameTheirRun: an approval of an earlier run does not read as one of the latest.
func TestCommandsNameTheirRun(t *testing.T) {
	run := model.Run{ID: model.DigestOf("four"), Number: 4}
	require.Equal(t, "4", run.Named(&model.Handled{Run: run.ID}))
	require.Equal(t, "4", run.Named(&model.Handled{Run: run.ID[:12]}))
	require.Equal(t, model.DigestOf("three").Short(), run.Named(&model.Handled{Run: model.DigestOf("three")}))
	require.Equal(t, "", run.Named(&model.Handled{}))
}

package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func TestPageSaysHowLongJobsRun(t *testing.T) {
	job := model.Component{Name: "train", Type: "job", Replicas: 1}
	says := func(took ...int) string {
		return runTimes(&model.Instance{Runtimes: []model.Runtimes{{Component: "train", Shape: job.Shape(), Took: took}}}, &job)
	}
	require.Empty(t, runTimes(&model.Instance{}, &job))
	require.Empty(t, says(60, 60))
	require.Equal(t, "its last 3 runs took at most 2m0s", says(60, 120, 60))
	require.Equal(t, "nine of ten of its last 10 runs took at most 1m0s", says(60, 60, 60, 60, 60, 60, 60, 60, 600, 60))
	require.Equal(t, "its run times on record are none that were written so; they are learned anew", says(60, -1, 60))
}

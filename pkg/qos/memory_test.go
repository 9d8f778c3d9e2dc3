package qos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

const mib = 1 << 20

func TestHighBetween(t *testing.T) {
	for _, c := range []struct {
		request, limit int64
		part           model.Percent
		want           int64
	}{
		{256, 512, 80, 483180544}, {256, 512, 90, 510025728},
		{500, 1000, 40, 734003200}, {500, 1000, 60, 838860800}, {500, 1000, 80, 943718400},
		{800, 1000, 60, 964689920}, {850, 1000, 80, 1017118720},
		{0, 1000, 90, 943718400}, {100, 1000, 90, 954204160},
	} {
		require.Equal(t, c.want, highBetween(c.request*mib, c.limit*mib, 0, c.part, 4096), "%d to %d MiB, %d %%", c.request, c.limit, c.part)
	}
	require.Equal(t, int64(943718400), highBetween(0, 0, 1000*mib, 90, 4096), "without a limit all that workloads may use stands in")
}

package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestAmountsOfOneSentenceHaveOneUnit: people compare amounts that stand beside
// each other, so they are not written as 24 and 11500m.
func TestAmountsOfOneSentenceHaveOneUnit(t *testing.T) {
	for _, c := range []struct {
		resource string
		amounts  []int64
		want     []string
	}{
		{"cpu", []int64{24_000, 16_000}, []string{"24", "16"}},
		{"cpu", []int64{24_000, 11_500, 0}, []string{"24000m", "11500m", "0"}},
		{"memory", []int64{4 << 30, 2560 << 20}, []string{"4096Mi", "2560Mi"}},
		{"memory", []int64{4 << 30, 0}, []string{"4Gi", "0"}},
		{"memory", []int64{1 << 40, 1}, []string{"1099511627776", "1"}},
		{"nvidia.com/gpu", []int64{8, 3}, []string{"8", "3"}},
	} {
		require.Equal(t, c.want, model.FormatAmounts(c.resource, c.amounts...))
	}
}

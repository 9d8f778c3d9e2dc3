package model_test

import (
	"math"
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
		{"network", []int64{100e6, 1500e3}, []string{"100000k", "1500k"}},
		{"network", []int64{1 << 20}, []string{"1048576"}},
		{"nvidia.com/gpu", []int64{8, 3}, []string{"8", "3"}},
	} {
		require.Equal(t, c.want, model.FormatAmounts(c.resource, c.amounts...))
	}
}

// TestAmountsForPeople: no sentence for people has 24000m, and what is below a CPU stays as people write it.
func TestAmountsForPeople(t *testing.T) {
	for _, c := range []struct {
		resource string
		amounts  []int64
		want     []string
	}{
		{"cpu", []int64{24_000, 11_500, 0}, []string{"24", "11.5", "0"}},
		{"cpu", []int64{10_000, 250, 5}, []string{"10", "0.25", "0.005"}},
		{"cpu", []int64{500, 250}, []string{"500m", "250m"}},
		{"cpu", []int64{-500, 2500}, []string{"-500m", "2500m"}},
		{"cpu", []int64{math.MaxInt64, 1}, []string{"9223372036854775.807", "0.001"}},
		{"memory", []int64{4 << 30, 2560 << 20}, []string{"4096Mi", "2560Mi"}},
	} {
		is := model.ReadableAmounts(c.resource, c.amounts...)
		require.Equal(t, c.want, is)
		if n := c.amounts[0]; c.resource == "cpu" && n >= 0 && n < math.MaxInt64 {
			back, err := model.ParseCPU(is[0])
			require.NoError(t, err)
			require.Equal(t, n, back, "as a fleet is written")
		}
	}
}

func TestBitrates(t *testing.T) {
	for text, want := range map[string]int64{"100M": 100e6, "1.5G": 15e8, "8k": 8000, "7": 7, "0": 0} {
		n, err := model.ParseBitrate(text)
		require.NoError(t, err)
		require.Equal(t, want, n)
		back, err := model.ParseBitrate(model.FormatBitrate(n))
		require.NoError(t, err)
		require.Equal(t, want, back)
		var b model.Bitrate
		require.NoError(t, b.UnmarshalJSON([]byte(`"`+text+`"`)))
		require.Equal(t, model.Bitrate(want), b)
	}
	for _, text := range []string{"", "M", "-1M", "100Mbit", "1Mi", "1 M", "1e9", "99999999999T"} {
		_, err := model.ParseBitrate(text)
		require.Error(t, err, text)
	}
}

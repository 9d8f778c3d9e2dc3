package qos

import (
	"testing"

	"github.com/containerd/cgroups/v3/cgroup2"
	"github.com/stretchr/testify/require"
)

func TestWeight(t *testing.T) {
	for shares, want := range map[int64]int64{
		2: 1, 3: 2, 5: 2, 10: 4, 51: 11, 102: 17, 204: 29, 256: 35, 512: 59, 1000: 99, 1024: 100, 1536: 138, 2000: 170,
		2048: 174, 4096: 303, 8192: 532, 16384: 942, 32768: 1681, 50000: 2402, 65536: 3023, 102400: 4429, 131072: 5478,
		204800: 8064, 262143: 10000, 262144: 10000, 0: 1, 1: 1, 1 << 40: 10000,
	} {
		require.Equal(t, want, weight(shares), "shares %d", shares)
	}
}

// Runtimes and the agent must weigh groups alike, or neither's ratios hold.
func TestWeightAgreesWithContainerd(t *testing.T) {
	for shares := int64(minShares); shares <= maxShares; shares++ {
		if weight(shares) != int64(cgroup2.ConvertCPUSharesToCgroupV2Value(uint64(shares))) {
			t.Fatalf("%d shares weigh %d, containerd says %d", shares, weight(shares), cgroup2.ConvertCPUSharesToCgroupV2Value(uint64(shares)))
		}
	}
}

func TestShares(t *testing.T) {
	for milli, want := range map[int64]int64{0: 2, 1: 2, 50: 51, 100: 102, 500: 512, 1000: 1024, 4000: 4096, 128_000: 131072, 100_000_000: 262144} {
		require.Equal(t, want, Shares(milli), "%d milli-CPU", milli)
	}
}

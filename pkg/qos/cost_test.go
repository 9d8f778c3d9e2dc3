package qos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseDiskCost(t *testing.T) {
	c, err := ParseDiskCost(" 254:0 wbps=4 wseqiops=5 wrandiops=6  rbps=1 rseqiops=2 rrandiops=03")
	require.NoError(t, err)
	require.Equal(t, DiskCost{"254:0", "rbps=1 rseqiops=2 rrandiops=3 wbps=4 wseqiops=5 wrandiops=6"}, c)
	for text, why := range map[string]string{
		"":                        "number of a disk",
		"vda rbps=1":              "number of a disk",
		"8:0; rbps=1":             "number of a disk",
		"8:0 rbps=1":              "no rseqiops",
		"8:0 rbps=1 rbps=2":       "each of rbps",
		"8:0 rbps=0":              "above 0",
		"8:0 rbps=-1":             "above 0",
		"8:0 rbps=1 enable=0":     "each of rbps",
		"8:0 rbps=1\n8:16 rbps=2": "each of rbps",
		"8:0 rbps=9999999999999999999999 rseqiops=1": "above 0",
	} {
		_, err := ParseDiskCost(text)
		require.ErrorContains(t, err, why, "%q", text)
	}
}

// What the kernel takes by itself is nobody's choice, and what others chose for other disks stays.
func TestCostsOfOthersStay(t *testing.T) {
	const of, theirs = "8:0 enable=1 ctrl=user rpct=0.00", "8:16 enable=1 ctrl=user rpct=95.00"
	require.Equal(t, theirs, Normal("io.cost.qos", "8:0 enable=0 ctrl=auto rpct=0.00 min=25.00\n"+theirs+"\n"))
	require.Equal(t, "8:0 enable=1 ctrl=auto", Normal("io.cost.qos", "8:0 enable=1 ctrl=auto rpct=0.00 min=25.00\n"))
	require.Empty(t, Normal("io.cost.model", "8:0 ctrl=auto model=linear rbps=174019176\n"))
	require.Equal(t, of+"; "+theirs, Beside("io.cost.qos", of, theirs))
	require.Equal(t, of, Beside("io.cost.qos", of, "8:0 enable=1 ctrl=user rpct=50.00"))
	require.Equal(t, []string{"8:0 enable=0 ctrl=auto"}, Writes("io.cost.qos", of+"; "+theirs, theirs))
}

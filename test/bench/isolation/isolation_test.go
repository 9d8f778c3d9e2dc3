//go:build linux

package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
	"github.com/d-aros/d-aros/test/tier"
)

// The parts start this program in other roles.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && roles[os.Args[1]] != nil {
		if err := roles[os.Args[1]](os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Each part measures each phase; how much is for a machine that does nothing else.
func TestParts(t *testing.T) {
	if !tier.Soak() {
		t.Skip("without -soak: half a minute of two processors")
	}
	t.Run("can", func(t *testing.T) { cgrouptest.V1(t, "cpu", "blkio", "memory") }) // parts lock the machine themselves
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			figures, err := alone(t.Context(), p, 2*time.Second)
			require.NoError(t, err)
			require.NotEmpty(t, figures)
			for _, f := range figures {
				t.Logf("%+v", f)
				require.True(t, f.Reason != "" || f.Ratios[with] > 0, f.Name)
			}
		})
	}
}

func TestMedians(t *testing.T) {
	round := func(without float64) []figure {
		return []figure{{Name: "a", Ratios: map[string]float64{"without": without}}}
	}
	require.Equal(t, round(2), medianOf([][]figure{round(9), round(1), round(2)}))
	not := []figure{{Name: "a", Reason: "too busy"}}
	require.Equal(t, round(2), medianOf([][]figure{not, round(2), not}))
	require.Equal(t, "too busy", medianOf([][]figure{not, not})[0].Reason)
	require.Len(t, medianOf([][]figure{{{Name: "part", Reason: "gone"}}, append(round(1), round(2)...)}), 2)
	var took []time.Duration
	for i := range 200 {
		took = append(took, time.Duration(200-i))
	}
	require.Equal(t, time.Duration(199), percentile(took, 99))
	require.Zero(t, percentile(nil, 99))
}

func TestChart(t *testing.T) {
	f := figure{Name: "service: p99", Unit: "×", Alone: "4 ms", Most: 1.5, Ratios: map[string]float64{without: 31, with: 1.1}}
	not := figure{Name: "memory", Reason: "mkdir <memory>: read-only file system"}
	chart := drawChart("2 processors <&>", []figure{f, not})
	for decoder := xml.NewDecoder(strings.NewReader(chart)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	require.Contains(t, chart, "31.00×")
	var table strings.Builder
	require.NoError(t, printTable(&table, "2 processors", []figure{f, not}))
	require.Regexp(t, `service: p99 +4 ms +31.00× +1.10× +- +≤ 1.5× +yes`, table.String())
	require.Contains(t, chart, "not measured: mkdir &lt;memory&gt;")
	require.Regexp(t, `memory +not measured: mkdir <memory>: read-only`, table.String())
	require.False(t, (&figure{Least: 0.95, Ratios: map[string]float64{with: 0.9}}).holds())
	require.False(t, (&figure{}).holds())
	require.Equal(t, "> 0", (&figure{}).wanted())
	require.Equal(t, "≥ 0.95", (&figure{Least: 0.95}).wanted())
}

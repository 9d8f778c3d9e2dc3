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
	cgrouptest.V1(t, "cpu", "blkio")
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			figures, err := one(t.Context(), p, 2*time.Second)
			require.NoError(t, err)
			require.NotEmpty(t, figures)
			for _, f := range figures {
				require.Len(t, f.ratios, len(phases), f.name)
				for phase, ratio := range f.ratios {
					require.GreaterOrEqual(t, ratio, 0.0, "%s %s", f.name, phase)
				}
			}
		})
	}
}

func TestMedians(t *testing.T) {
	round := func(without float64) []figure {
		return []figure{{name: "a", ratios: map[string]float64{"without": without}}}
	}
	require.Equal(t, round(2), medianOf([][]figure{round(9), round(1), round(2)}))
	var took []time.Duration
	for i := range 200 {
		took = append(took, time.Duration(200-i))
	}
	require.Equal(t, time.Duration(199), percentile(took, 99))
	require.Zero(t, percentile(nil, 99))
}

func TestChart(t *testing.T) {
	f := figure{name: "service: p99", unit: "×", alone: "4 ms", wanted: "≤ 1.5×", ratios: map[string]float64{without: 31, with: 1.1}, holds: func(r float64) bool { return r <= 1.5 }}
	chart := drawChart("2 processors <&>", []figure{f})
	for decoder := xml.NewDecoder(strings.NewReader(chart)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	require.Contains(t, chart, "31.00×")
	var table strings.Builder
	require.NoError(t, printTable(&table, "2 processors", []figure{f}))
	require.Regexp(t, `service: p99 +4 ms +31.00× +1.10× +- +≤ 1.5× +yes`, table.String())
}

//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// figure is one that is measured in several phases, as a ratio: to the phase alone, or to what was promised.
type figure struct {
	name, unit string
	alone      string             // what a ratio of 1 is, in words
	ratios     map[string]float64 // by phase
	wanted     string
	holds      func(with float64) bool
}

// The phases beside which everything alone stands.
const (
	without = "without"
	with    = "with"
	killed  = "agent killed"
)

var phases = []string{without, with, killed}

// medianOf takes the median of each ratio; all rounds have the same figures in the same order.
func medianOf(rounds [][]figure) (medians []figure) {
	for i, f := range rounds[0] {
		f.ratios = map[string]float64{}
		for phase := range rounds[0][i].ratios {
			var all []float64
			for _, round := range rounds {
				all = append(all, round[i].ratios[phase])
			}
			slices.Sort(all)
			f.ratios[phase] = all[len(all)/2]
		}
		medians = append(medians, f)
	}
	return medians
}

// percentile returns the value that so many hundredths of the others do not exceed.
func percentile(values []time.Duration, percent int) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func printTable(w io.Writer, machine string, figures []figure) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FIGURE\tALONE, FIRST ROUND\tWITHOUT\tWITH\tAGENT KILLED\tWANTED\tHOLDS")
	for _, f := range figures {
		holds := "no"
		if f.holds(f.ratios[with]) {
			holds = "yes"
		}
		fmt.Fprintf(t, "%s\t%s", f.name, f.alone)
		for _, phase := range phases {
			fmt.Fprintf(t, "\t%s", f.show(phase))
		}
		fmt.Fprintf(t, "\t%s\t%s\n", f.wanted, holds)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", machine)
	return err
}

func (f *figure) show(phase string) string {
	ratio, measured := f.ratios[phase]
	if !measured {
		return "-"
	}
	return strconv.FormatFloat(ratio, 'f', 2, 64) + f.unit
}

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

// figure is one that is measured in several phases, as a ratio: to the phase alone, or to what was promised. Its fields
// are exported for JSON, in which another process or machine sends it.
type figure struct {
	Name, Unit  string
	Alone       string             // what a ratio of 1 is, in words
	Ratios      map[string]float64 // by phase
	Least, Most float64            // what is wanted with the agent; without both, more than nothing
	Reason      string             // why it was not measured, "" if it was
}

// cannot is what this machine says of what it cannot do.
type cannot struct{ error }

// The phases beside which everything alone stands.
const (
	without = "without"
	with    = "with"
	killed  = "agent killed"
)

var phases = []string{without, with, killed}

// medianOf takes the median of each ratio, of the rounds that measured the figure. All have the same figures in the same order,
// but for a round of which the machine could do nothing.
func medianOf(rounds [][]figure) (medians []figure) {
	longest := slices.MaxFunc(rounds, func(a, b []figure) int { return len(a) - len(b) })
	for i, f := range longest {
		all := map[string][]float64{}
		for _, round := range rounds {
			if len(round) != len(longest) || round[i].Reason != "" {
				continue
			}
			if len(all) == 0 {
				f = round[i]
			}
			for phase, ratio := range round[i].Ratios {
				all[phase] = append(all[phase], ratio)
			}
		}
		f.Ratios = map[string]float64{}
		for phase, ratios := range all {
			slices.Sort(ratios)
			f.Ratios[phase] = ratios[len(ratios)/2]
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
		if f.Reason != "" {
			fmt.Fprintf(t, "%s\tnot measured: %s\n", f.Name, f.Reason)
			continue
		}
		holds := "no"
		if f.holds() {
			holds = "yes"
		}
		fmt.Fprintf(t, "%s\t%s", f.Name, f.Alone)
		for _, phase := range phases {
			fmt.Fprintf(t, "\t%s", f.show(phase))
		}
		fmt.Fprintf(t, "\t%s\t%s\n", f.wanted(), holds)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", machine)
	return err
}

func (f *figure) show(phase string) string {
	ratio, measured := f.Ratios[phase]
	if !measured {
		return "-"
	}
	return strconv.FormatFloat(ratio, 'f', 2, 64) + f.Unit
}

func (f *figure) wanted() string {
	switch {
	case f.Most > 0:
		return fmt.Sprintf("≤ %g%s", f.Most, f.Unit)
	case f.Least > 0:
		return fmt.Sprintf("≥ %g%s", f.Least, f.Unit)
	}
	return "> 0"
}

// holds reports whether it is with the agent what is wanted.
func (f *figure) holds() bool {
	is := f.Ratios[with]
	return (f.Most == 0 || is <= f.Most) && is >= f.Least && (is > 0 || f.Most > 0)
}

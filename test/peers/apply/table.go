package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// printTable prints one line for each way and phase.
func printTable(out io.Writer, all map[string][]result, objects int) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "phase\tway\tobjects/s\tof the bare loop\tCPU of client, µs/object\tof server\trequests\tmost memory")
	for i, name := range phases {
		var bareRate float64
		for _, w := range ways {
			of := func(figure func(phase) float64) spread {
				var values []float64
				for _, r := range all[w.name] {
					values = append(values, figure(r.Phases[i]))
				}
				return spreadOf(values)
			}
			rate := of(func(p phase) float64 { return float64(objects) / p.Took.Seconds() })
			if w.name == ways[0].name {
				bareRate = rate.median
			}
			client := of(func(p phase) float64 { return float64(p.Client.Microseconds()) / float64(objects) })
			server := of(func(p phase) float64 { return float64(p.Server.Microseconds()) / float64(objects) })
			memory := ""
			if i == len(phases)-1 {
				var values []float64
				for _, r := range all[w.name] {
					values = append(values, float64(r.Memory)/(1<<20))
				}
				memory = spreadOf(values).String() + " MiB"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%.2f\t%s\t%s\t%s\t%s\n", name, w.name, rate, rate.median/bareRate, client, server,
				requestsOf(all[w.name][0].Phases[i].Requests), memory)
		}
	}
	return t.Flush()
}

func requestsOf(verbs map[string]int) string {
	var all []string
	for _, v := range slices.Sorted(maps.Keys(verbs)) {
		all = append(all, fmt.Sprintf("%d %s", verbs[v], v))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// spread is the median of some values, the least and the most.
type spread struct{ median, least, most float64 }

func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	return spread{sorted[len(sorted)/2], sorted[0], sorted[len(sorted)-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("%.0f (%.0f to %.0f)", s.median, s.least, s.most)
}

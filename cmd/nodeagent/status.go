//go:build linux

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/qos/network"
	"github.com/d-aros/d-aros/pkg/text"
)

// withOutput adds -o to a command.
func withOutput(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringP("output", "o", "text", "text or json")
	return cmd
}

// output prints v in the format of -o.
func output(cmd *cobra.Command, v any, print func(io.Writer)) error {
	switch format := cmd.Flag("output").Value.String(); format {
	case "text":
		print(text.Writer{Out: cmd.OutOrStdout()})
		return nil
	case "json":
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	default:
		return fmt.Errorf("--output %q: want text or json", format)
	}
}

func newProbe(cfg *nodeagent.Config) *cobra.Command {
	return withOutput(&cobra.Command{
		Use:     "probe",
		Short:   "Show what this host can enforce",
		Example: "  nodeagent probe\n  nodeagent probe -o json | jq -r '.[] | select(.state != \"yes\").name'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := nodeagent.Probe(cfg.Root)
			return output(cmd, found, func(w io.Writer) {
				table(w, "ABILITY\tHERE\tMEANS\tDETAIL\tWHAT TO DO", found, func(f nodeagent.Finding) []any {
					return []any{f.Name, f.State, f.Means, cmp.Or(f.Detail, "-"), cmp.Or(f.Do, "-")}
				})
			})
		},
	})
}

// status is what "status -o json" prints.
type status struct {
	Running bool `json:"running"`
	nodeagent.Report
}

func newStatus(cfg *nodeagent.Config) *cobra.Command {
	return withOutput(&cobra.Command{
		Use:     "status",
		Short:   "Show the plan in force and the state of its settings",
		Long:    "status prints the last report of the agent. The exit code is 1 if not all settings are in force.",
		Example: "  nodeagent status\n  nodeagent status -o json | jq .degradations",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, running, err := nodeagent.ReadReport(cfg.StateDir)
			if err != nil {
				return err
			}
			err = output(cmd, status{running, report}, func(w io.Writer) {
				if running {
					fmt.Fprintln(w, "agent:    running")
				} else {
					fmt.Fprintln(w, "agent:    not running, settings stay as they are")
				}
				fmt.Fprintf(w, "changed:  %s\n", report.Changed.Format(time.RFC3339))
				printReport(w, report)
			})
			if err == nil && !report.Holds() {
				err = errDiffer
			}
			return err
		},
	})
}

func printReport(w io.Writer, r nodeagent.Report) {
	plan := cmp.Or(r.Digest, "none")
	if r.Source != "" {
		plan += " from " + r.Source
	}
	if r.Generation > 0 {
		plan += fmt.Sprintf(" generation %d", r.Generation)
	}
	if r.Stale {
		plan += " (last good)"
	}
	if !r.Since.IsZero() {
		plan += " since " + r.Since.Format(time.RFC3339)
	}
	fmt.Fprintf(w, "plan:     %s\n", plan)
	if r.Problem != "" {
		fmt.Fprintf(w, "problem:  %s\n", r.Problem)
	}
	if r.Quiet != "" {
		fmt.Fprintf(w, "quiet:    %s\n", r.Quiet)
	}
	if e := r.Evict; e != nil {
		fmt.Fprintf(w, "to end:   %s, which has %s: %s\n", e.Workload, model.FormatAmount("memory", e.Memory>>20<<20), e.Reason)
	}
	fmt.Fprintf(w, "cgroups:  %s\n", r.Mode)
	if r.Omitted > 0 {
		fmt.Fprintf(w, "omitted:  %d workloads, for which the plan has no room\n", r.Omitted)
	}
	printOutcomes(w, r.Outcomes)
	table(w, "\nWORKLOAD\tWITHOUT A GROUP SINCE\tBECAUSE", r.Unplaced, func(u nodeagent.Unplaced) []any {
		return []any{u.Workload, u.Since.Format(time.RFC3339), u.Reason}
	})
	printStandings(w, r)
	printNetwork(w, r)
	table(w, "\nWORKLOAD\tBROKEN PROMISE\tRESERVED\tGOT\tTAKEN BY", r.Broken, func(b qos.Broken) []any {
		var by []string
		for _, t := range b.By {
			by = append(by, t.Who+" "+b.Format(t.Amount))
		}
		return []any{b.Workload, b.Promise, b.Format(b.Reserved), b.Format(b.Got), cmp.Or(strings.Join(by, ", "), "-")}
	})
	table(w, "\nWORKLOAD\tPROMISED\tINSTEAD\tBECAUSE", r.Degradations, func(d qos.Degradation) []any {
		return []any{cmp.Or(d.Workload, "all"), d.Promise, d.Instead, d.Reason}
	})
}

// printStandings prints what workloads were promised, have and use. Reports of older agents only have shares.
func printStandings(w io.Writer, r nodeagent.Report) {
	if len(r.Workloads) == 0 {
		table(w, "\nWORKLOAD\tCORES WHEN ALL ARE BUSY\tRESERVED", r.Shares, func(s qos.Share) []any {
			return []any{s.Workload, model.FormatCPU(s.CPU), model.FormatCPU(s.Reserved)}
		})
		return
	}
	table(w, "\nWORKLOAD\tPROMISED\tEFFECTIVE\tUSED\tWAITS FOR CPU, MEMORY, DISKS", r.Workloads, func(s qos.Standing) []any {
		used, pressure := "-", "-"
		if s.Used != nil {
			used = cmp.Or(amounts(qos.Amounts{CPU: s.Used.CPU, Memory: s.Used.Memory >> 20 << 20}), "nothing")
		}
		if p := s.Pressure; p != nil {
			pressure = fmt.Sprintf("%d %%, %d %%, %d %%", p.CPU/100, p.Memory/100, p.IO/100)
		}
		return []any{s.Workload, cmp.Or(amounts(s.Promised), "-"), cmp.Or(amounts(s.Effective), "-"), used, pressure}
	})
}

// amounts lists those that there are: "500m, 1Gi, 100Mbit/s".
func amounts(a qos.Amounts) string {
	var all []string
	if a.CPU > 0 {
		all = append(all, model.FormatCPU(a.CPU))
	}
	if a.Memory > 0 {
		all = append(all, model.FormatAmount("memory", a.Memory))
	}
	if a.Network > 0 {
		all = append(all, model.FormatBitrate(a.Network)+"bit/s")
	}
	if a.Disk > 0 {
		all = append(all, model.FormatAmount(model.DiskResource, a.Disk)+"/s")
	}
	return strings.Join(all, ", ")
}

// printNetwork prints the classes of the uplink, and its parts that are not in force.
func printNetwork(w io.Writer, r nodeagent.Report) {
	if r.Uplink != nil {
		table(w, "\nCLASS OF "+r.Uplink.Device+"\tGUARANTEED\tAT MOST\tPRIORITY\tGROUPS", r.Uplink.Classes, func(c qos.Class) []any {
			return []any{c.Name, model.FormatBitrate(c.Rate), model.FormatBitrate(c.Ceil), c.Priority, len(c.Cgroups)}
		})
	}
	differ := slices.DeleteFunc(slices.Clone(r.Network), func(o network.Outcome) bool { return o.State == network.InForce })
	table(w, "\nINTERFACE\tPART\tVALUE\tSTATE\tBEFORE\tREASON", differ, func(o network.Outcome) []any {
		return []any{o.Device, o.Part, cmp.Or(o.Value, "-"), o.State, cmp.Or(o.From, "-"), cmp.Or(o.Reason, "-")}
	})
}

func printOutcomes(w io.Writer, outcomes []cgroup.Outcome) {
	table(w, "\nCGROUP\tFILE\tVALUE\tSTATE\tBEFORE\tREASON", outcomes, func(o cgroup.Outcome) []any {
		return []any{cmp.Or(o.Cgroup, "/"), o.File, o.Value, o.State, cmp.Or(o.From, "-"), cmp.Or(o.Reason, o.Follows, "-")}
	})
}

// table prints a head and a row for each element, unless there are none.
func table[T any](w io.Writer, head string, list []T, row func(T) []any) {
	if len(list) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, head)
	for _, element := range list {
		cells := row(element)
		fmt.Fprintf(t, strings.Repeat("\t%v", len(cells))[1:]+"\n", cells...)
	}
	_ = t.Flush()
}

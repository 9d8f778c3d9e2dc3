//go:build linux

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// outputFlag adds -o to a command.
func outputFlag(cmd *cobra.Command) *string {
	return cmd.Flags().StringP("output", "o", "text", "text or json")
}

// output prints v in the given format.
func output(w io.Writer, format string, v any, print func(io.Writer)) error {
	switch format {
	case "text":
		print(shownWriter{w})
		return nil
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	return fmt.Errorf("--output %q: want text or json", format)
}

func newProbe(cfg *nodeagent.Config) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "probe",
		Short:   "Show what this host can enforce",
		Example: "  nodeagent probe\n  nodeagent probe -o json | jq -r '.[] | select(.state != \"yes\").name'",
		Args:    cobra.NoArgs,
	}
	format := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		found := nodeagent.Probe(cfg.Root)
		return output(cmd.OutOrStdout(), *format, found, func(w io.Writer) {
			t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "ABILITY\tHERE\tMEANS\tDETAIL")
			for _, f := range found {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Name, f.State, f.Means, cmp.Or(f.Detail, "-"))
			}
			_ = t.Flush()
		})
	}
	return cmd
}

// status is what "status -o json" prints.
type status struct {
	Running bool `json:"running"`
	nodeagent.Report
}

func newStatus(cfg *nodeagent.Config) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show the plan in force and the state of its settings",
		Long:    "status prints the last report of the agent. The exit code is 1 if not all settings are in force.",
		Example: "  nodeagent status\n  nodeagent status -o json | jq .degradations",
		Args:    cobra.NoArgs,
	}
	format := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		report, running, err := nodeagent.ReadReport(cfg.StateDir)
		if err != nil {
			return err
		}
		err = output(cmd.OutOrStdout(), *format, status{running, report}, func(w io.Writer) {
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
	}
	return cmd
}

func printReport(w io.Writer, r nodeagent.Report) {
	plan := cmp.Or(r.Digest, "none")
	if r.Source != "" {
		plan += " from " + r.Source
	}
	if r.Stale {
		plan += " (last good)"
	}
	fmt.Fprintf(w, "plan:     %s\n", plan)
	if r.Problem != "" {
		fmt.Fprintf(w, "problem:  %s\n", r.Problem)
	}
	fmt.Fprintf(w, "cgroups:  %s\n", r.Mode)
	printOutcomes(w, r.Outcomes)
	if len(r.Shares) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "\nWORKLOAD\tCORES WHEN ALL ARE BUSY\tRESERVED")
		for _, s := range r.Shares {
			fmt.Fprintf(t, "%s\t%s\t%s\n", s.Workload, model.FormatCPU(s.CPU), model.FormatCPU(s.Reserved))
		}
		_ = t.Flush()
	}
	if len(r.Degradations) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "\nWORKLOAD\tPROMISED\tINSTEAD\tBECAUSE")
		for _, d := range r.Degradations {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", cmp.Or(d.Workload, "all"), d.Promise, d.Instead, d.Reason)
		}
		_ = t.Flush()
	}
}

func printOutcomes(w io.Writer, outcomes []cgroup.Outcome) {
	if len(outcomes) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nCGROUP\tFILE\tVALUE\tSTATE\tBEFORE\tREASON")
	for _, o := range outcomes {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", o.Cgroup, o.File, o.Value, o.State, cmp.Or(o.From, "-"), cmp.Or(o.Reason, "-"))
	}
	_ = t.Flush()
}

package surface

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands returns an entry for each command below root that help shows, and for each of its flags.
func Commands(root *cobra.Command) (entries []string) {
	Visit(root, func(cmd *cobra.Command) {
		entries = append(entries, cmd.CommandPath()+Gap+"command")
		flag := func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			entry := cmd.CommandPath() + " --" + f.Name + Gap + f.Value.Type()
			if f.Shorthand != "" {
				entry += ", short -" + f.Shorthand
			}
			entries = append(entries, fmt.Sprintf("%s, default %q", entry, f.DefValue))
		}
		cmd.LocalFlags().VisitAll(flag)
		cmd.InheritedFlags().VisitAll(flag)
	})
	return entries
}

// Visit calls do for root and each command below it that help shows.
func Visit(root *cobra.Command, do func(*cobra.Command)) {
	do(root)
	for _, cmd := range root.Commands() {
		if !cmd.Hidden && cmd.Name() != "help" {
			Visit(cmd, do)
		}
	}
}

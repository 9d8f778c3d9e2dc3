package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
)

func newWhatIfCommand() *cobra.Command {
	var f caseFlags
	var head string
	var sets []string
	cmd := &cobra.Command{
		Use:   "what-if",
		Short: "Show what other quotas, weights, priorities or capacity would do",
		Long: `What-if decides twice, on the fleet repo as it is and with some values changed, and shows
the differences as plan does. It writes nothing: commit a change to put it into force.

--set changes a value that Git declares, by the name that it has there:
  tenant.NAME.weight, .quota.cpu, .quota.memory, .quota.DEVICE, .quota.applications,
    .quota.workloads, .quota.priorityCeiling, .quota.pools.POOL.cpu …, .guarantee.cpu …,
    .borrow.cpu …, .lend.cpu …, .policy.reserveAfter, .policy.backfill,
    .policy.priorityClaims
  group.NAME.weight, .guarantee.cpu …, .quota.cpu …, .borrow.cpu …, .lend.cpu …
  platform.policy.history.halfLife, 0s for none, .policy.reserveAfter, .policy.backfill,
    .policy.priorityClaims, and .pools.POOL.shares.DEVICE where the capacity is declared
  application.TENANT/NAME.priority, .budget.costPerHour, .desired, .policy.priorityClaims,
    .policy.flavours, and of .components.NAME: .replicas, .resources.requests.cpu …,
    .degrade.minReplicas, .expect of a job, .placement.pool, .placement.flavours=POOL,POOL,
    .placement.together.mode
--capacity changes the capacity of a pool, or its domains. Of a device that is shared it
has the shares: inference.nvidia.com/gpu.shared=8. A value with + or - is added or subtracted.
What a policy says holds for all below who do not say it themselves. With --settle it goes on until nothing changes any more, as plan does.
The limits of the schema are not checked, so values that no commit may have can be tried.

The exit code is 0 if nothing changes, 1 if something does, 2 if an application would be
rejected or if what-if itself failed.`,
		Example: `  # would more quota help?
  reconciler what-if --set tenant.acme.quota.cpu=+16

  # what would the loss of four nodes do?
  reconciler what-if --capacity general.cpu=-32 --capacity general.memory=-128Gi

  # which applications give way if this one becomes important?
  reconciler what-if --set application.acme/shop.priority=500 -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(sets)+len(f.capacity) == 0 {
				return errors.New("what if what? give --set or --capacity, for example --set tenant.acme.quota.cpu=+16")
			}
			var settings []offline.Setting
			for _, text := range sets {
				s, err := offline.ParseSetting(text)
				if err != nil {
					return err
				}
				settings = append(settings, s)
			}
			return f.run(cmd, func(o offline.Options, c offline.Case) (plan.Comparison, error) {
				return offline.WhatIf(cmd.Context(), o, c, head, settings)
			})
		},
	}
	fl := cmd.Flags()
	f.add(fl)
	f.addSettle(fl)
	fl.StringVar(&head, "head", "", "branch or commit to start from (default: the files as they lie on disk)")
	fl.StringArrayVar(&sets, "set", nil, "`PATH=[+|-]VALUE` of a tenant, a group or an application; can be given several times")
	return withOutput(cmd, "text, markdown, json or yaml")
}

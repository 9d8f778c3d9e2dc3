package turn

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Recall returns what the runtimes showed when a ledger was saved.
func Recall(ledger *model.Ledger) model.Recalled {
	all := model.Recalled{Pools: ledger.Pools}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		all.Workloads = append(all.Workloads, slices.Concat(lifecycle.Recall(inst), workflow.Recall(inst))...)
	}
	return all
}

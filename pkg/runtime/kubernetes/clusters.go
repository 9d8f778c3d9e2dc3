package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// Clusters are the clusters of a fleet. The first one remembers the ledger, and has its events.
type Clusters struct {
	*Runtime
	all []*Runtime

	inventories [][]model.Inventory // by cluster, as of so many changes to them
	changes     []int
}

// NewClusters returns the clusters of a fleet, of which there is at least one.
func NewClusters(all ...*Runtime) *Clusters {
	return &Clusters{Runtime: all[0], all: all, inventories: make([][]model.Inventory, len(all)), changes: make([]int, len(all))}
}

// Plan gives the agents on the nodes of all clusters their plans, at the same time.
func (c *Clusters) Plan(ctx context.Context, pools []model.PoolSpec, plans map[string][]byte) error {
	errs := make([]error, len(c.all))
	var group sync.WaitGroup
	for i, r := range c.all {
		group.Go(func() {
			if err := r.Plan(ctx, pools, plans); err != nil {
				errs[i] = fmt.Errorf("%s: %w", r.Name(), err)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// Inventories returns the inventories of the fleet in all clusters, in order, and the number of
// changes to them that they know of; nothing if there was none after the number given. It waits for
// all of them, unless the first one was inspected: then the error is runtime.ErrUnseen if others were
// not yet, whose inventories are missing.
func (c *Clusters) Inventories(ctx context.Context, after int) (all []model.Inventory, changes int, err error) {
	var away error
	for i, r := range c.all {
		if !r.answered.Load() && c.answered.Load() {
			away = errors.Join(away, fmt.Errorf("%s: %w", r.Name(), runtime.ErrUnseen))
			continue
		}
		list, known, err := r.Inventories(ctx, c.changes[i])
		if err != nil {
			return nil, after, fmt.Errorf("%s: %w", r.Name(), err)
		}
		if known != c.changes[i] {
			c.inventories[i], c.changes[i] = list, known
		}
		all, changes = append(all, c.inventories[i]...), changes+known
	}
	if changes == after && away == nil {
		return nil, after, nil
	}
	slices.SortStableFunc(all, func(x, y model.Inventory) int { return x.App.Compare(y.App) })
	return all, changes, away
}

// Answered counts the requests for objects that have ended, in all clusters. It is for concurrent use.
func (c *Clusters) Answered() (n int64) {
	for _, r := range c.all {
		n += r.Answered()
	}
	return n
}

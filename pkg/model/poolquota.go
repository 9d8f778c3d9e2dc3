package model

import (
	"maps"
	"slices"
)

// PoolQuota is the most that applications are granted in one pool together.
type PoolQuota struct {
	Pool   string           `json:"pool"`
	Limits map[string]int64 `json:"limits"` // by resource; what is not named has no limit
}

// Resources are the names of what is limited, in order.
func (q *PoolQuota) Resources() []string { return slices.Sorted(maps.Keys(q.Limits)) }

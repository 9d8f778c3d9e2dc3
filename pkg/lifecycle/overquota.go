package lifecycle

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// overQuota says of what tenants have beyond their quotas since when they have it.
func overQuota(before, now []model.OverQuota, at time.Time) []model.OverQuota {
	next := slices.Clone(now)
	for i := range next {
		next[i].Since = at.UTC().Round(0)
		if was := slices.IndexFunc(before, next[i].SameState); was >= 0 {
			next[i].Since = before[was].Since
		}
	}
	return next
}

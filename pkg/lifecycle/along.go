package lifecycle

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// along looks things up by application in a list, for applications in order: all
// lookups together cost one way through the list.
type along[T any] struct {
	list []T
	of   func(*T) model.AppID
}

// newAlong goes along a list. One that is not sorted is copied and sorted first.
func newAlong[T any](list []T, of func(*T) model.AppID) *along[T] {
	compare := func(a, b T) int { return of(&a).Compare(of(&b)) }
	for i := 1; i < len(list); i++ {
		if of(&list[i-1]).Compare(of(&list[i])) > 0 {
			list = slices.Clone(list)
			slices.SortStableFunc(list, compare)
			break
		}
	}
	return &along[T]{list, of}
}

// at returns what there is of an application, nil if there is nothing.
func (a *along[T]) at(id model.AppID) *T {
	for len(a.list) > 0 {
		switch c := a.of(&a.list[0]).Compare(id); {
		case c == 0:
			return &a.list[0]
		case c > 0:
			return nil
		}
		a.list = a.list[1:]
	}
	return nil
}

// all returns all that there is of an application.
func (a *along[T]) all(id model.AppID) []T {
	if a.at(id) == nil {
		return nil
	}
	n := 1
	for n < len(a.list) && a.of(&a.list[n]) == id {
		n++
	}
	return a.list[:n]
}

// records gathers what becomes of the records of a list.
type records[T any] struct {
	old     []T
	all     []*T
	changed bool
}

func newRecords[T any](old []T) records[T] {
	return records[T]{old: old, all: make([]*T, 0, len(old))}
}

func (r *records[T]) add(record *T, changed bool) {
	r.all, r.changed = append(r.all, record), r.changed || changed
}

// list returns the old list where nothing changed, so a pass in which nothing changes
// copies no records.
func (r *records[T]) list() []T {
	if !r.changed && len(r.all) == len(r.old) {
		return r.old
	}
	list := make([]T, len(r.all))
	for i := range list {
		list[i] = *r.all[i]
	}
	return list
}

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

// kept makes a list that begins as another does. As long as it does, it is that
// other list, so a pass in which nothing changes copies no records.
type kept[T any] struct {
	from []T
	same int
	made []T // nil: all that was added is from[:same]
	most int
}

// add adds what v points to.
func (k *kept[T]) add(v *T) {
	if k.made == nil {
		if k.same < len(k.from) && v == &k.from[k.same] {
			k.same++
			return
		}
		k.made = append(make([]T, 0, max(k.most, k.same+1)), k.from[:k.same]...)
	}
	k.made = append(k.made, *v)
}

func (k *kept[T]) list() []T {
	if k.made == nil && k.same > 0 {
		return slices.Clip(k.from[:k.same])
	}
	return k.made
}

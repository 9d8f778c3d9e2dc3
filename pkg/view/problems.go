package view

import (
	"fmt"
	"strconv"

	"github.com/d-aros/d-aros/pkg/model"
)

// ProblemsPage is a page of what makes parts of the fleet repo unusable.
type ProblemsPage struct {
	Problems []model.Problem `json:"problems"`
	Total    int             `json:"total"`
	Next     string          `json:"next"` // the cursor of the next page, "" if this is the last one
}

// ProblemsPageOf returns the problems of a ledger that follow a cursor, "" for the first ones.
func ProblemsPageOf(l *model.Ledger, after string, limit int) (ProblemsPage, error) {
	first := 0
	if after != "" {
		var err error
		if first, err = strconv.Atoi(after); err != nil || first < 0 {
			return ProblemsPage{}, fmt.Errorf("%q is no cursor; take that of the page before", after)
		}
	}
	all := l.AllProblems()
	first = min(first, len(all))
	last := min(first+limit, len(all))
	v := ProblemsPage{Problems: append([]model.Problem{}, all[first:last]...), Total: len(all)}
	if last < len(all) {
		v.Next = strconv.Itoa(last)
	}
	return v, nil
}

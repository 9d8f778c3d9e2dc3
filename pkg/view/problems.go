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
	all := l.AllProblems()
	first, last, next, err := pageOf(len(all), after, limit)
	return ProblemsPage{Problems: append([]model.Problem{}, all[first:last]...), Total: len(all), Next: next}, err
}

// pageOf returns which rows of a list follow a cursor, and the cursor of those after them.
func pageOf(total int, after string, limit int) (first, last int, next string, err error) {
	if after != "" {
		if first, err = strconv.Atoi(after); err != nil || first < 0 {
			return 0, 0, "", fmt.Errorf("%q is no cursor; take that of the page before", after)
		}
	}
	first = min(first, total)
	last = min(first+limit, total)
	if last < total {
		next = strconv.Itoa(last)
	}
	return first, last, next, nil
}

package render

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Error says what is wrong with the declaration of an application. It blames
// the input: the same input fails again.
type Error struct {
	Problems []model.Problem // by path, at least one
}

// Error returns the problems, a line each.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Code + " " + p.Path + ": " + p.Message
	}
	return strings.Join(lines, "\n")
}

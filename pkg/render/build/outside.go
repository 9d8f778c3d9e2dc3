package build

import (
	"io/fs"

	"github.com/d-aros/d-aros/pkg/model"
)

// Outside opens files outside the fleet repo that a component names by what they are. It
// returns an *AbsentError if they are not at hand.
type Outside func(model.Pinned) (fs.FS, error)

// An AbsentError says that files outside the fleet repo are not at hand now. It blames the
// world, and the same build may succeed in another pass.
type AbsentError struct {
	Pinned model.Pinned
	Why    string
}

func (e *AbsentError) Error() string { return "needs " + e.Pinned.String() + ", which " + e.Why }

// A RefusedError is why a reference to files outside the fleet repo is not followed.
type RefusedError struct {
	Code    string
	Limit   string // what it goes against, "" without one
	Message string
}

func (e *RefusedError) Error() string { return e.Message }

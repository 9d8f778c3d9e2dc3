package model

import "slices"

// Revision names the content that a record had when it was read or written. Two
// records of one revision are deeply equal. Whoever changes a record, or a copy of
// it, sets the revision to zero: the record is not written yet. A revision is never
// saved.
type Revision [20]byte

// Is reports whether a record of this revision is surely the same as one of another.
// Nothing is sure about a record that is not written yet.
func (r Revision) Is(other Revision) bool { return r == other && r != Revision{} }

// SameDecisions reports whether two lists surely hold the same records.
func SameDecisions(a, b []Decision) bool {
	return slices.EqualFunc(a, b, func(x, y Decision) bool { return x.Revision.Is(y.Revision) })
}

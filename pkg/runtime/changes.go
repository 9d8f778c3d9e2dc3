package runtime

// Changes tells one listener that something changed. Many changes may share one value.
type Changes chan struct{}

// NewChanges returns one that has told nothing yet.
func NewChanges() Changes { return make(Changes, 1) }

// Changed gets a value after a change.
func (c Changes) Changed() <-chan struct{} { return c }

// Tell tells of a change, unless a value for one before still waits.
func (c Changes) Tell() {
	select {
	case c <- struct{}{}:
	default:
	}
}

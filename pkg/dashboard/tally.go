package dashboard

import "sync"

// tally counts what each person has open.
type tally struct {
	most int // of one person

	mu   sync.Mutex
	open map[string]int
}

func newTally(most int) *tally { return &tally{most: most, open: map[string]int{}} }

// enter counts one more of a person, unless that is too much. Who enters calls leave.
func (t *tally) enter(person string) (leave func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[person] >= t.most {
		return nil, false
	}
	t.open[person]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.open[person]--; t.open[person] == 0 {
			delete(t.open, person)
		}
	}, true
}

package apply

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// A field that another manager changes again each time that it is put back is fought for.
// After fightAfter corrections within fightWithin, each further one waits twice as long
// as the one before, from fightFirst to fightLast.
const (
	fightAfter  = 3
	fightWithin = 10 * time.Minute
	fightFirst  = time.Minute
	fightLast   = time.Hour
)

// field is one field of an object; the path "" is the whole object.
type field struct {
	Ref
	path string
}

// fight is what is known of a field that was put back.
type fight struct {
	recent []time.Time // corrections, the last fightAfter at most
	wait   time.Duration
	until  time.Time // no correction before
}

// fought is the error for a correction that has to wait.
type fought struct {
	Difference
	wait time.Duration
}

func (f *fought) Error() string {
	by := "others"
	if f.Manager != "" {
		by = f.Manager
	}
	return fmt.Sprintf("%s was changed by %s again each time that it was put back; the next correction waits %s; let one of the two leave it alone",
		cmp.Or(f.Path, "the object"), by, f.wait)
}

// fights counts corrections. Its methods may be called from any goroutine.
type fights struct {
	now func() time.Time
	mu  sync.Mutex
	all map[field]*fight
}

// waits returns the difference whose correction has to wait, and how long corrections of it
// wait now.
func (f *fights) waits(r Ref, found []Difference) (d Difference, wait time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range found {
		if at := f.all[field{r, found[i].Path}]; at != nil && f.now().Before(at.until) && at.wait > wait {
			d, wait = found[i], at.wait
		}
	}
	return d, wait
}

// corrected notes that fields were put back.
func (f *fights) corrected(r Ref, found []Difference) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	maps.DeleteFunc(f.all, func(_ field, at *fight) bool {
		return now.Sub(at.recent[len(at.recent)-1]) > at.wait+fightWithin
	})
	for i := range found {
		key := field{r, found[i].Path}
		at := f.all[key]
		if at == nil {
			at = &fight{}
			f.all[key] = at
		}
		at.recent = append(at.recent, now)
		at.recent = slices.Clone(at.recent[max(0, len(at.recent)-fightAfter):])
		switch {
		case at.wait > 0:
			at.wait = min(2*at.wait, fightLast)
		case len(at.recent) == fightAfter && now.Sub(at.recent[0]) <= fightWithin:
			at.wait = fightFirst
		}
		at.until = now.Add(at.wait)
	}
}

//go:build linux

package nodeagent

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// When others change a setting back so often in such a time, it is theirs for a while, then
// for twice as long: nobody wins by writing more often.
const (
	mostReverts  = 10
	revertsIn    = time.Minute
	shortestHold = 5 * time.Minute
	longestHold  = time.Hour
)

// contests are the settings that others change, by group and file, or by device and part.
type contests map[[2]string]*contest

type contest struct {
	reverts []time.Time // the latest ones
	wait    time.Duration
	until   time.Time // zero: it is written
	hold    string    // why it is not
}

// held says why a setting is left to others at a time, "" if it is not.
func (c contests) held(key [2]string, now time.Time) string {
	if k := c[key]; k != nil && now.Before(k.until) {
		return k.hold
	}
	return ""
}

// hold returns settings with those marked that the agent leaves to others at a time.
func (c contests) hold(settings []qos.Setting, now time.Time) []qos.Setting {
	if len(c) == 0 {
		return settings
	}
	marked := slices.Clone(settings)
	for i := range marked {
		if s := &marked[i]; s.Hold == "" {
			s.Hold = c.held([2]string{s.Cgroup, s.File}, now)
		}
	}
	return marked
}

// count counts that others have made a setting theirs, and returns why it is held from now on,
// "" if it is not.
func (c contests) count(key [2]string, theirs string, now time.Time) string {
	k := c[key]
	if k == nil {
		k = &contest{}
		c[key] = k
	}
	k.reverts = append(k.reverts, now)
	for now.Sub(k.reverts[0]) > revertsIn {
		k.reverts = k.reverts[1:]
	}
	if len(k.reverts) < mostReverts {
		return ""
	}
	k.wait = min(max(2*k.wait, shortestHold), longestHold)
	k.until, k.reverts = now.Add(k.wait), nil
	k.hold = fmt.Sprintf("others made it %s %d times in a minute; it is theirs until %s", cmp.Or(theirs, "nothing"), mostReverts, k.until.UTC().Format(time.RFC3339))
	return k.hold
}

// see counts what others have changed since the last pass, and returns what is held from now on.
func (c contests) see(outcomes []cgroup.Outcome, now time.Time) (held []cgroup.Outcome) {
	for _, o := range outcomes {
		if !o.Drift || o.State != cgroup.Written {
			continue
		}
		if o.Hold = c.count([2]string{o.Cgroup, o.File}, o.From, now); o.Hold != "" {
			held = append(held, o)
		}
	}
	for key, k := range c { // peace for as long as a hold is at most: it begins anew
		if now.Sub(k.until) > longestHold && (len(k.reverts) == 0 || now.Sub(k.reverts[len(k.reverts)-1]) > revertsIn) {
			delete(c, key)
		}
	}
	return held
}

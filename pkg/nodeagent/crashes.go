//go:build linux

package nodeagent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// An agent that ends without a word again and again may do so because of what it does. Then
// each start waits longer, and from a number on nothing follows the load for a while: the
// settings of the plan are in force all the time.
const (
	crashesIn     = 10 * time.Minute
	patient       = 3 // crashes in that time after which a start waits
	mostCrashes   = 5 // after which nothing follows the load
	longestWait   = time.Minute
	startsFile    = "starts.json"
	quietSentence = "the agent ended without a word %d times in %s: nothing follows the load until %s"
)

// crashes returns the moments of the latest starts that did not end well, and records that
// there is one more. Who cannot record it goes on.
func (s *state) crashes(now time.Time) (before []time.Time, err error) {
	data, err := s.read(startsFile)
	if err != nil {
		return nil, err
	}
	var starts []time.Time
	_ = json.Unmarshal(data, &starts) // none, or half a file: it counts anew
	for _, at := range starts {
		if age := now.Sub(at); age >= 0 && age < crashesIn {
			before = append(before, at)
		}
	}
	data, err = json.Marshal(append(before[max(0, len(before)-2*mostCrashes):], now.UTC()))
	if err == nil {
		err = s.write(startsFile, append(data, '\n'))
	}
	return before, err
}

// ended records that the agent ends well.
func (s *state) ended() error { return s.write(startsFile, []byte("[]\n")) }

// afterCrashes waits after crashes, and keeps what follows the load quiet after many of them.
func (a *agent) afterCrashes(ctx context.Context) {
	now := time.Now()
	before, err := a.state.crashes(now)
	if err != nil {
		a.cfg.Log.Warn("crashes are not counted", "error", err)
	}
	if n := len(before); n >= mostCrashes {
		a.follower.quietUntil = now.Add(crashesIn)
		a.quiet = fmt.Sprintf(quietSentence, n, crashesIn, a.follower.quietUntil.UTC().Format(time.RFC3339))
		a.cfg.Log.Error(a.quiet)
	}
	if wait := holdOff(len(before)); wait > 0 {
		a.cfg.Log.Warn("waiting, because the agent ended without a word before", "times", len(before), "wait", wait)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// holdOff is how long a start waits after so many crashes.
func holdOff(crashes int) time.Duration {
	if crashes < patient {
		return 0
	}
	return min(time.Second<<min(crashes-patient, 10), longestWait)
}

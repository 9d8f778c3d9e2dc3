package workflow

import (
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// A Tally counts the answers to the probes of an attempt, or of its present stage. It
// is memory and never saved: the run has what the answers came to, once that is
// decided. Whoever has no tally counts from the beginning.
type Tally struct {
	Stage int       // of the attempt, see model.StepRun
	Probe int       // that is asked, from 1; stages go on counting
	Good  int       // answers
	Bad   int       // answers
	Next  time.Time // of the next probe; zero while one is out
}

// Tallies are the tallies of attempts that are on their way, by the key of the attempt.
// Whoever advances runs hands over the tallies that the last turn left, if that was saved.
type Tallies map[string]Tally

// Due is the time of the first probe that is due after a time, zero if there is none.
func (t Tallies) Due(last time.Time) (due time.Time) {
	for _, tally := range t {
		if tally.Next.After(last) && (due.IsZero() || tally.Next.Before(due)) {
			due = tally.Next
		}
	}
	return due
}

// probe is the probe of an attempt that is out, if one is.
func (t Tallies) probe(run *model.Run, rec *model.StepRun, c *checkProperties) (Intent, bool) {
	if c == nil || len(t) == 0 {
		return Intent{}, false
	}
	key := keyOf(run, rec)
	tally, known := t[key]
	if !known || tally.Stage != rec.Stage || !tally.Next.IsZero() {
		return Intent{}, false
	}
	return Intent{Key: tally.key(key), Probe: &Probe{URL: c.URL, Prometheus: c.Prometheus, Query: c.Query}}, true
}

// key names the probe that is out, of the attempt with a key.
func (t *Tally) key(attempt string) string { return attempt + "/" + strconv.Itoa(t.Probe) }

// tally returns what is counted for the attempt. Nothing is at first, and the first
// probe is due.
func (s *step) tally() Tally {
	key := keyOf(&s.x.run, s.rec)
	tally, known := s.x.tallies[key]
	if !known {
		tally = s.x.turn.Tallies[key]
	}
	if tally.Probe == 0 || tally.Stage != s.rec.Stage {
		return Tally{Stage: s.rec.Stage, Probe: tally.Probe, Next: s.x.now}
	}
	return tally
}

// count keeps what is counted for the attempt.
func (s *step) count(tally Tally) {
	if s.x.tallies == nil {
		s.x.tallies = Tallies{}
	}
	s.x.tallies[keyOf(&s.x.run, s.rec)] = tally
}

// handOn adds the tallies of the attempts that go on to those of other runs.
func (x *execution) handOn(all Tallies) {
	if x.run.Phase.Ended() {
		return
	}
	for _, s := range x.steps {
		if s.rec.Phase != model.StepActive || s.kind.asks() == nil {
			continue
		}
		key := keyOf(&x.run, s.rec)
		if tally, counted := x.tallies[key]; counted {
			all[key] = tally
		} else if tally, known := x.turn.Tallies[key]; known {
			all[key] = tally
		}
	}
}

package model

import (
	"slices"
	"time"
)

// Forecast is when an application that waits starts at the latest, as far as is known, and what
// has to end by itself before.
type Forecast struct {
	At time.Time  `json:"at"`
	If []Expected `json:"if"` // without any of these it starts later; the first to end first
}

// Expected is when an application is expected to have ended by itself.
type Expected struct {
	App  AppID     `json:"application"`
	By   time.Time `json:"by"`
	Due  time.Time `json:"due,omitzero"`   // when it was to have ended, where it is late
	Runs int       `json:"runs,omitempty"` // of how many earlier runs that was learned, 0: it declares it
}

// Equal reports whether two forecasts are the same; nil is none.
func (f *Forecast) Equal(o *Forecast) bool {
	return f == o || f != nil && o != nil && f.At.Equal(o.At) && slices.EqualFunc(f.If, o.If, func(x, y Expected) bool {
		return x.App == y.App && x.By.Equal(y.By) && x.Due.Equal(y.Due) && x.Runs == y.Runs
	})
}

// Taking is of whom an application that waits may take at a time, and what its tenant then has.
type Taking struct {
	At    time.Time `json:"at"`
	From  []AppID   `json:"from"`  // nil: it would find nobody
	Share int       `json:"share"` // in thousandths of all capacity

	// Within is in how many passes it is worked out of whom, if nothing else changes, 0: it is worked out.
	Within int `json:"within,omitempty"`
}

// Equal reports whether two of them are the same; nil is none.
func (t *Taking) Equal(o *Taking) bool {
	return t == o || t != nil && o != nil && t.At.Equal(o.At) && slices.Equal(t.From, o.From) && t.Share == o.Share && t.Within == o.Within
}

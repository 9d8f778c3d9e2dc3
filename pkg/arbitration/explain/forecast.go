package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// forecast records when an application that waits starts.
func (w *Writer) forecast(f *solve.Forecast) *model.Forecast {
	r := &model.Forecast{At: f.At.UTC().Round(0)}
	for _, v := range f.If {
		r.If = append(r.If, model.Expected{App: v.ID, By: v.Ending.Of(w.Now).UTC().Round(0), Due: v.Ending.Due, Runs: v.Ending.Runs})
	}
	return r
}

// expected is how many of those who have to end a sentence names.
const expected = 3

// starts says when an application starts: "starts at about 14:30 UTC if acme/train ends by 14:20".
func starts(f *model.Forecast, now time.Time) string {
	names := make([]string, 0, expected+1)
	for _, e := range slices.Backward(f.If) { // the last is what the time follows from
		if len(names) == expected {
			more := "1 more ends before"
			if n := len(f.If) - expected; n > 1 {
				more = fmt.Sprintf("%d more end before", n)
			}
			names = append(names, more)
			break
		}
		name := e.App.String() + " ends by " + hour(e.By, f.At)
		switch {
		case !e.Due.IsZero():
			name += " (it is late: it was to have ended by " + hour(e.Due, f.At) + ")"
		case e.Runs > 0 && e.Runs < 10:
			name += fmt.Sprintf(" (none of its last %d runs took longer)", e.Runs)
		case e.Runs > 0:
			name += fmt.Sprintf(" (nine of ten of its last %d runs took less)", e.Runs)
		}
		names = append(names, name)
	}
	return "starts at about " + hour(f.At, now) + " UTC if " + strings.Join(names, ", and if ")
}

// hour is a time in UTC to the next full minute, with the date if that is another one than that of a reader's time.
func hour(t, day time.Time) string {
	t = t.UTC().Add(time.Minute - time.Nanosecond).Truncate(time.Minute)
	if t.Format(time.DateOnly) == day.UTC().Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

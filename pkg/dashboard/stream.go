package dashboard

import (
	"fmt"
	"net/http"
	"time"
)

// pace is how streams are written.
type pace struct {
	most     int           // streams at a time
	between  time.Duration // two events
	alive    time.Duration // after which a comment shows that the stream is alive
	patience time.Duration // with a client that does not read
}

var usualPace = pace{most: 8, between: time.Second, alive: 15 * time.Second, patience: 10 * time.Second}

// stream sends the newest commit of the branch, and each newer one.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	places := s.streams
	if s.Gate != nil {
		places = of(r).streams
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		fail(w, r, refuse(http.StatusTooManyRequests, "%d streams are open already; close a page", cap(places)))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	send := func(format string, args ...any) bool {
		if control.SetWriteDeadline(time.Now().Add(s.pace.patience)) != nil {
			return false
		}
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	if !send(": the commits of the status branch\n\n") {
		return
	}
	alive := time.NewTicker(s.pace.alive)
	defer alive.Stop()
	sent := r.Header.Get("Last-Event-ID")
	for {
		m, changed := s.follower.tip()
		var rest <-chan time.Time // until the next event may be sent
		if m != nil && m.Commit != sent {
			if !send("id: %s\nevent: tip\ndata: {\"commit\":%q}\n\n", m.Commit, m.Commit) {
				return
			}
			sent = m.Commit
			rest = time.After(s.pace.between)
		}
		for again := false; !again; {
			wake := changed
			if rest != nil {
				wake = nil
			}
			select {
			case <-r.Context().Done():
				return
			case <-alive.C:
				if !send(":\n\n") {
					return
				}
			case <-rest:
				rest = nil
			case <-wake:
				again = true
			}
		}
	}
}

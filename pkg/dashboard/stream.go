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

// stream sends the newest commit of the branch, with the one that drafts start from, and what comes after each.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) error {
	return s.events(w, r, "tip", func() (id, data string, changed <-chan struct{}) {
		m, changed := s.follower.tip()
		switch base := s.follower.start(); {
		case m == nil:
			return r.Header.Get("Last-Event-ID"), "", changed
		case base == "":
			return m.Commit, fmt.Sprintf("{\"commit\":%q}", m.Commit), changed
		default:
			return m.Commit + "-" + base, fmt.Sprintf("{\"commit\":%q,\"base\":%q}", m.Commit, base), changed
		}
	})
}

// events sends an event of a name for what is newest, and for each newer one, as long as the client reads.
func (s *Server) events(w http.ResponseWriter, r *http.Request, name string, newest func() (id, data string, changed <-chan struct{})) error {
	places := s.streams
	if s.Gate != nil {
		places = of(r).streams
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		return refuse(http.StatusTooManyRequests, "%d streams are open already; close a page", cap(places))
	}
	send := s.pace.sender(w)
	if !send(": %s\n\n", name) {
		return nil
	}
	alive := time.NewTicker(s.pace.alive)
	defer alive.Stop()
	sent := r.Header.Get("Last-Event-ID")
	for {
		id, data, changed := newest()
		var rest <-chan time.Time // until the next event may be sent
		if id != sent {
			if !send("id: %s\nevent: %s\ndata: %s\n\n", id, name, data) {
				return nil
			}
			sent = id
			rest = time.After(s.pace.between)
		}
		for again := false; !again; {
			wake := changed
			if rest != nil {
				wake = nil
			}
			select {
			case <-r.Context().Done():
				return nil
			case <-alive.C:
				if !send(":\n\n") {
					return nil
				}
			case <-rest:
				rest = nil
			case <-wake:
				again = true
			}
		}
	}
}

// sender begins a stream, and returns what writes to it. It reports whether the client still reads.
func (p pace) sender(w http.ResponseWriter) func(format string, args ...any) bool {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	return func(format string, args ...any) bool {
		if control.SetWriteDeadline(time.Now().Add(p.patience)) != nil {
			return false
		}
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return false
		}
		return control.Flush() == nil
	}
}

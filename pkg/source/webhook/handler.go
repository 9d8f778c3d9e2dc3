// Package webhook receives the messages that a Git host sends when somebody pushes. A message only makes the next poll of the
// fleet repo come sooner: nothing is read from it but the name of the branch, so a forged or repeated message could at worst
// cost a poll. It is refused all the same, and the poll on a timer stays, because messages get lost.
package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxBody bounds a message, in bytes. Git hosts shorten the list of commits of a large push.
const maxBody = 1 << 20

// Options of a handler.
type Options struct {
	// Key returns the key that the Git host signs with. It is called for each message, so that a change needs no restart.
	Key func() ([]byte, error)
	// Ref is the full name of the branch or tag to follow: messages about others wake nobody. "" follows all.
	Ref string
	Now func() time.Time
}

// A Handler answers the requests of a Git host. It is safe for concurrent use.
type Handler struct {
	options Options
	hints   chan struct{}
	seen    seen
}

// New returns a handler.
func New(o Options) *Handler {
	return &Handler{options: o, hints: make(chan struct{}, 1)}
}

// Hints gets a value when the followed branch may have moved. Hints that nobody takes are one hint.
func (h *Handler) Hints() <-chan struct{} { return h.hints }

// ServeHTTP answers with a status and a sentence, which the page of the Git host shows beside the message.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := h.receive(w, r)
	if a.status >= http.StatusBadRequest {
		http.Error(w, a.sentence, a.status)
		return
	}
	w.WriteHeader(a.status)
	fmt.Fprintln(w, a.sentence)
}

type answer struct {
	status   int
	sentence string
}

func (h *Handler) receive(w http.ResponseWriter, r *http.Request) answer {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return answer{http.StatusMethodNotAllowed, "send a message with POST"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return answer{http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is larger than %d bytes", maxBody)}
	}
	if err != nil {
		return answer{http.StatusBadRequest, "the message ended early"}
	}
	key, err := h.options.Key()
	if err != nil {
		return answer{http.StatusServiceUnavailable, "the key of --webhook-key cannot be read"}
	}
	mac, ok := verify(r.Header, body, key, h.options.Now())
	if !ok {
		return answer{http.StatusUnauthorized, "no signature with the key of --webhook-key: set the same secret at the Git host"}
	}
	if !h.seen.add(mac) {
		return answer{http.StatusOK, "received before"}
	}
	var push struct {
		Ref string `json:"ref"` // the same name on all hosts
	}
	if json.Unmarshal(body, &push) == nil && push.Ref != "" && h.options.Ref != "" && push.Ref != h.options.Ref {
		return answer{http.StatusOK, "it is about another branch"}
	}
	select {
	case h.hints <- struct{}{}:
	default: // one is waiting already
	}
	return answer{http.StatusAccepted, "the fleet repo is polled now"}
}

package outbound

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// WebhookOptions name the receiver of announcements. The operator of the reconciler
// chooses it, so any address is allowed.
type WebhookOptions struct {
	URL    string
	Key    []byte           // signs messages; nil: no signatures
	Report func(error)      // gets each new kind of error of the receiver once; nil is fine
	Now    func() time.Time // nil: time.Now
}

// A Webhook delivers announcements to a receiver, signed, in order, and at least once. The
// id of a message is the key of the announcement, so a repetition has the same id, whoever
// sends it. It is safe for concurrent use.
type Webhook struct {
	*sender
	key []byte
	now func() time.Time

	mu    sync.Mutex
	queue []announce.Announcement
	given int64 // the last save whose announcements are, or were, in the queue
	left  int64 // the first save for which the queue had no place; 0: there is none
}

// maxQueue bounds the messages that wait for the receiver.
const maxQueue = 50_000

// OpenWebhook starts to deliver.
func OpenWebhook(o WebhookOptions) (*Webhook, error) {
	sender, err := newSender(o.URL, o.Report)
	if err != nil {
		return nil, fmt.Errorf("open the webhook: %w", err)
	}
	w := &Webhook{sender: sender, key: o.Key, now: o.Now}
	if w.now == nil {
		w.now = time.Now
	}
	w.start(w.run)
	return w, nil
}

// Announce takes what a save changed. It never blocks. For what finds no place in the
// queue, Delivered stays behind, so that the next process repeats it.
func (w *Webhook) Announce(ledger *model.Ledger, list []announce.Announcement) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.given = max(w.given, ledger.Identity.Sequence)
	for i := range list {
		switch a := &list[i]; {
		case a.Kind.Row().Type == "" || a.Key == announce.Key{}:
		case len(w.queue) < maxQueue:
			w.queue = append(w.queue, *a)
		case w.left == 0:
			w.left = a.Key.Save
		}
	}
	w.wake()
}

// Delivered returns the last save of which, and of all before, everything was delivered.
func (w *Webhook) Delivered() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := w.given
	if w.left > 0 {
		last = min(last, w.left-1)
	}
	for i := range w.queue {
		last = min(last, w.queue[i].Key.Save-1)
	}
	return last
}

// run delivers one message after the other.
func (w *Webhook) run(ctx context.Context) {
	for {
		next, ok := w.first()
		if !ok {
			if !w.wait(ctx) {
				return
			}
			continue
		}
		if !w.deliver(ctx, func() error { return w.send(ctx, &next) }) {
			return
		}
		w.mu.Lock()
		w.queue = w.queue[1:]
		w.mu.Unlock()
	}
}

func (w *Webhook) first() (announce.Announcement, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.queue = nil
		return announce.Announcement{}, false
	}
	return w.queue[0], true
}

// send sends a message once.
func (w *Webhook) send(ctx context.Context, a *announce.Announcement) error {
	body, err := json.Marshal(message{a.Kind.Row().Type, a})
	if err != nil {
		return &failure{ClassRefused, "deliver announcements: " + err.Error()}
	}
	if _, err := post(ctx, w.client, w.url, a.Key.String(), w.now(), body, w.key); err != nil {
		return fmt.Errorf("deliver announcements: %w", err)
	}
	return nil
}

package outbound

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// WebhookOptions name the receiver of transitions. The operator of the reconciler
// chooses it, so any address is allowed.
type WebhookOptions struct {
	URL    string
	Key    []byte           // signs messages; nil: no signatures
	Cursor string           // file of the delivered transitions; "": none
	Report func(error)      // gets each new kind of error of the receiver once; nil is fine
	Now    func() time.Time // nil: time.Now
}

// A Webhook delivers every transition of every application to a receiver, signed, in
// order for each application, and at least once: a repetition has the same id. It
// reads transitions from the histories on the status branch, so that none is lost
// between a save and a crash. It is safe for concurrent use.
type Webhook struct {
	*sender
	key    []byte
	cursor *cursor
	now    func() time.Time

	mu    sync.Mutex
	known map[model.AppID]model.Transition // the last one that was put into the queue
	queue []transition
}

// transition is one that is to be delivered.
type transition struct {
	app model.AppID
	id  model.Digest
	model.Transition
}

const (
	maxQueue = 50_000
	fresh    = time.Hour // without a cursor, only transitions that are younger are delivered
)

// OpenWebhook starts to deliver.
func OpenWebhook(o WebhookOptions) (*Webhook, error) {
	sender, err := newSender(o.URL, o.Report)
	if err != nil {
		return nil, fmt.Errorf("open the webhook: %w", err)
	}
	c, err := openCursor(o.Cursor)
	if err != nil {
		return nil, fmt.Errorf("open the webhook: %w", err)
	}
	w := &Webhook{sender: sender, key: o.Key, cursor: c, now: o.Now, known: map[model.AppID]model.Transition{}}
	if w.now == nil {
		w.now = time.Now
	}
	w.start(w.run)
	return w, nil
}

// Close stops the delivery. The next webhook with the same cursor delivers the rest.
func (w *Webhook) Close() error {
	_ = w.sender.Close()
	return w.cursor.save()
}

// Announce takes the saved ledger. It never blocks.
func (w *Webhook) Announce(ledger *model.Ledger) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		n := len(inst.History)
		if n == 0 {
			continue
		}
		last, known := w.known[inst.App]
		if known && last.Equal(&inst.History[n-1]) {
			continue
		}
		from := slices.IndexFunc(inst.History, func(t model.Transition) bool { return t.Equal(&last) }) + 1
		if !known {
			from = w.undelivered(inst)
		}
		for _, t := range inst.History[from:] {
			if len(w.queue) >= maxQueue {
				break // a later call adds the rest, if it is still in the history
			}
			if !t.OfAdmission() {
				w.queue = append(w.queue, transition{inst.App, idOf(inst.App, t), t})
			}
			w.known[inst.App] = t
		}
		if from == n {
			w.known[inst.App] = inst.History[n-1]
		}
	}
	w.wake()
}

// undelivered returns the index in the history of an application that the process
// sees for the first time, from which transitions are to be delivered.
func (w *Webhook) undelivered(inst *model.Instance) (from int) {
	delivered, ok := w.cursor.of(inst.App)
	switch {
	case ok:
		return slices.IndexFunc(inst.History, func(t model.Transition) bool { return idOf(inst.App, t) == delivered }) + 1
	case w.cursor.known:
		return 0
	}
	young := func(t model.Transition) bool { return w.now().Sub(t.At) < fresh }
	if from = slices.IndexFunc(inst.History, young); from < 0 {
		from = len(inst.History)
	}
	if from > 0 { // the next process does not deliver older ones
		w.cursor.move(inst.App, idOf(inst.App, inst.History[from-1]))
	}
	return from
}

// idOf returns the id of a transition, which is the same in every process.
func idOf(app model.AppID, t model.Transition) model.Digest {
	t.At = t.At.UTC()
	return model.DigestOf(struct {
		App model.AppID
		model.Transition
	}{app, t})
}

// typeTransition is the type of messages about transitions.
const typeTransition = "application.transition"

// transitionData is the data of such a message.
type transitionData struct {
	App      model.AppID  `json:"application"`
	Instance int          `json:"instance"`
	At       time.Time    `json:"at"`
	From     model.Phase  `json:"from,omitempty"`
	To       model.Phase  `json:"to"`
	Reason   model.Reason `json:"reason"`
	Message  string       `json:"message,omitempty"`
	Commit   string       `json:"commit,omitempty"` // of the fleet repo, at that time
}

// run delivers one message after the other.
func (w *Webhook) run(ctx context.Context) {
	for {
		next, ok := w.first()
		if !ok {
			w.note(w.cursor.save())
			if !w.wait(ctx) {
				return
			}
			continue
		}
		if !w.deliver(ctx, func() error { return w.send(ctx, next) }) {
			return
		}
		w.mu.Lock()
		w.queue = w.queue[1:]
		w.mu.Unlock()
		w.cursor.move(next.app, next.id)
		w.note(w.cursor.saveSometimes())
	}
}

func (w *Webhook) first() (transition, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.queue = nil
		return transition{}, false
	}
	return w.queue[0], true
}

// send sends a message once.
func (w *Webhook) send(ctx context.Context, t transition) error {
	body, err := json.Marshal(message{typeTransition, transitionData{
		App: t.app, Instance: t.Instance, At: t.At.UTC(), From: t.From, To: t.To, Reason: t.Reason, Message: t.Message, Commit: t.Commit,
	}})
	if err != nil {
		return &failure{ClassRefused, "deliver transitions: " + err.Error()}
	}
	if _, err := post(ctx, w.client, w.url, string(t.id), w.now(), body, w.key); err != nil {
		return fmt.Errorf("deliver transitions: %w", err)
	}
	return nil
}

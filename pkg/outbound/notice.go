package outbound

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// attempts is how often one intent tries to deliver its message. The step may retry
// with further intents.
const attempts = 10

// pause is the time after the nth attempt: a second, doubled each time, at most a
// minute.
func pause(n int) time.Duration {
	return min(time.Minute, time.Second<<min(n-1, 10))
}

// message is the body of a request. The type tells the fields of the data.
type message struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// stepData is the data of a message about a step of a workflow.
type stepData struct {
	App     model.AppID           `json:"application"`
	Run     model.Digest          `json:"run"`
	Spec    model.Digest          `json:"spec"`
	Step    string                `json:"step"`
	Message string                `json:"message,omitempty"`
	Inputs  []model.Value         `json:"inputs,omitempty"`
	Steps   []workflow.NoticeStep `json:"steps,omitempty"`
}

// typeStep is the type of such a message.
const typeStep = "workflow.notify"

// notice delivers a message: it retries until the receiver accepts it or refuses it for
// good, or the time is over. The receiver may get it more than once, with one id.
func (d *Dispatcher) notice(ctx context.Context, t Task, places chan struct{}) workflow.Result {
	n := t.Intent.Notice
	u, err := destination(n.URL, t.Egress)
	if err != nil {
		return failed(err)
	}
	body, err := json.Marshal(message{typeStep, stepData{
		App: n.App, Run: n.Run, Spec: n.Spec, Step: t.Intent.Step, Message: n.Message, Inputs: n.Inputs, Steps: n.Steps,
	}})
	if err != nil {
		return failed(&failure{workflow.ClassInvalid, "the message cannot be written"})
	}
	for attempt := 1; ; attempt++ {
		status, err := d.deliver(ctx, t, u, body, places)
		if err == nil {
			return workflow.Result{OK: true, Status: status}
		}
		wait := d.pause(attempt)
		deadline, _ := ctx.Deadline()
		if attempt == attempts || final(err) || !time.Now().Add(wait).Before(deadline) || !sleep(ctx, wait) {
			r := failed(err)
			r.Status = status
			if attempt > 1 {
				r.Message = fmt.Sprintf("after %d attempts: %s", attempt, r.Message)
			}
			return r
		}
	}
}

// deliver sends a message once.
func (d *Dispatcher) deliver(ctx context.Context, t Task, u *url.URL, body []byte, places chan struct{}) (status int, err error) {
	leave, ok := d.place(ctx, places)
	if !ok {
		return 0, &failure{workflow.ClassTimeout, "no place among the requests in time"}
	}
	defer leave()
	var key []byte
	if n := t.Intent.Notice; n.Secret != "" {
		if key, err = readKey(d.keys, t.App.Tenant, n.Secret); err != nil {
			return 0, err
		}
	}
	return post(ctx, d.client, u, t.Intent.Notice.Event, d.now(), body, key)
}

// post sends a message. Any status from 200 to 299 means that the receiver accepted it.
func post(ctx context.Context, client *http.Client, u *url.URL, event string, at time.Time, body, key []byte) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return 0, &failure{ClassRefused, "the address cannot be asked"}
	}
	r.Header.Set("Content-Type", "application/json")
	sign(r.Header, event, at, body, key)
	status, _, err = send(client, r)
	switch {
	case err != nil:
		return 0, err
	case status >= 200 && status < 300:
		return status, nil
	case again(status):
		return status, &failure{ClassUnreachable, fmt.Sprintf("the receiver answers %d", status)}
	}
	return status, &failure{ClassAnswer, fmt.Sprintf("the receiver refuses the message with %d", status)}
}

// again reports whether a receiver with this status may accept the message later.
func again(status int) bool {
	return status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooEarly || status == http.StatusTooManyRequests
}

// final reports whether a retry is no use.
func final(err error) bool {
	var f *failure
	return errors.As(err, &f) && (f.class == ClassRefused || f.class == ClassAnswer || f.class == ClassKey)
}

// sleep waits; false when ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

package workflow

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Result is the final answer to an intent.
type Result struct {
	Key     string // of the intent
	Open    bool   // no answer yet: what is seen of a job that has not ended
	OK      bool   // the job ended well, an answer came, the notification was taken
	Class   string // of failure, if not OK
	Message string
	Status  int     // HTTP status, exit code
	Value   float64 // of a query
	Body    string  // of an HTTP answer; what a job left
}

// result returns the latest result of an intent, nil if there is none.
func (t *Turn) result(key string) *Result { return t.latest(key, false) }

// lastSeen says what is seen of the job of an intent that did not end in time: its
// exit code and its last line, where the runtime knows them.
func (t *Turn) lastSeen(key string) string {
	if r := t.latest(key, true); r != nil {
		return after("; ", r.Message)
	}
	return ""
}

func (t *Turn) latest(key string, open bool) *Result {
	for i := len(t.Results) - 1; i >= 0; i-- {
		if r := &t.Results[i]; r.Key == key && r.Open == open {
			return r
		}
	}
	return nil
}

// ofJob returns what the runtime shows of the job of a step, nil if that is nothing.
func ofJob(w *model.Workload) *Result {
	if w.Done {
		return &Result{Key: w.Intent, OK: true, Message: w.Message}
	}
	r := &Result{Key: w.Intent, Open: w.Failure == nil || !w.Failure.Final}
	if f := w.Failure; f != nil {
		r.Class, r.Status, r.Message = cmp.Or(f.Reason, f.Class), f.ExitCode, f.Message
	}
	message := strings.TrimSpace(w.Message)
	if line := strings.TrimSpace(message[strings.LastIndex(message, "\n")+1:]); line != "" {
		r.Message = strings.TrimPrefix(r.Message+"; last line: "+line, "; ")
	}
	if r.Open && r.Message == "" {
		return nil
	}
	return r
}

// part returns the named part of a result.
func (r *Result) part(name string) string {
	switch name {
	case "status":
		return strconv.Itoa(r.Status)
	case "value":
		return strconv.FormatFloat(r.Value, 'g', -1, 64)
	case "body":
		return r.Body
	case "message":
		return r.Message
	}
	return ""
}

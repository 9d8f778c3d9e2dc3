package evaluate

import (
	"errors"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/schema"
)

// A Backend evaluates, in processes that have limits, and keeps answers. It cannot read
// requests and answers.
type Backend interface {
	// Run calls do for each of 0 to n-1, beginning with the first, side by side if
	// it likes, and returns when all are done.
	Run(n int, do func(i int))
	// Recall returns the answer to the request with a key, if it is known.
	Recall(key string) (answer []byte, ok bool)
	// Refused returns the error of Evaluate if a request with a key, about the files of a
	// tenant, would not be evaluated now: the files need not be read then.
	Refused(tenant, key string) error
	// Allot sets the CPU time of tenants that have another one than model.Work.
	Allot(work map[string]time.Duration)
	// Evaluate returns what Worker.Answer returns for a request, and keeps it under the
	// key. The tenant has a share in the time of evaluations; "" is the platform, which has no limit.
	// The error is an *Exhausted if the request is to blame, and a *Postponed if the share is used.
	Evaluate(tenant, key string, request []byte) (answer []byte, err error)
}

// Exhausted is the error of an evaluation that was ended at a limit.
type Exhausted struct{ Limit Limit }

// A Limit is the resource that an evaluation used up.
type Limit string

// Limits of one evaluation.
const (
	Time   Limit = "time"
	Memory Limit = "memory"
	Stack  Limit = "stack"
)

func (e *Exhausted) Error() string { return "the evaluation needs too much " + string(e.Limit) }

// Postponed is the error of an evaluation that nobody waits for, because its tenant has
// used its share. It goes on in the background, now or when the tenant has something left.
type Postponed struct{ Tenant string }

// Error has no measured values, so that the sentence on the status branch stays the same.
func (p *Postponed) Error() string {
	return "is not evaluated yet: tenant " + p.Tenant + " has used its CPU time for evaluations (1 s that a pass waits for, and work.cpu of its allotment in all); " +
		"they go on in the background as it gets more; everything else goes on"
}

// engine identifies the schema, which decides the result of an evaluation beside the
// files. A backend that keeps answers longer than the program runs must identify the
// program, too.
var engine = schema.Digest()

// keyOf identifies a request by digests that are known before its files are read.
func keyOf(parts ...string) string {
	return string(model.DigestOf(append([]string{engine}, parts...)))
}

// recall returns the result that the backend keeps, nil without one. It skips an answer
// that does not decode.
func (e *Evaluator) recall(key string) *result {
	data, ok := e.backend.Recall(key)
	if !ok {
		return nil
	}
	r, _ := decodeAnswer(data)
	return r
}

// ask has the backend evaluate a request, for a tenant. One that is refused now is not even encoded.
func (e *Evaluator) ask(tenant, key string, r request) (*result, error) {
	if err := e.backend.Refused(tenant, key); err != nil {
		return nil, err
	}
	data, err := e.backend.Evaluate(tenant, key, encode(r))
	if err != nil {
		return nil, err
	}
	return decodeAnswer(data)
}

// evaluate returns the result that the backend keeps, or has it evaluate the request.
func (e *Evaluator) evaluate(tenant, key string, r request) (*result, error) {
	if known := e.recall(key); known != nil {
		return known, nil
	}
	return e.ask(tenant, key, r)
}

// unanswered is the problem of a directory whose evaluation failed. It is not kept: the
// next pass evaluates again.
func unanswered(dir string, err error) model.Problem {
	var exhausted *Exhausted
	if later := (*Postponed)(nil); errors.As(err, &later) {
		return layer.WholeFile(catalogue.NotYet, dir, later.Error())
	}
	if !errors.As(err, &exhausted) {
		return layer.WholeFile(catalogue.Unreadable, dir, "cannot be evaluated: "+text.Clean(err.Error()))
	}
	code := map[Limit]string{Time: catalogue.Time, Memory: catalogue.Memory, Stack: catalogue.Stack}[exhausted.Limit]
	return layer.WholeFile(code, dir, "was not evaluated to the end: "+strings.TrimPrefix(exhausted.Error(), "the evaluation ")+"; everything else goes on")
}

// unreadable is the problem of a file or directory that cannot be read. It is not kept:
// the next pass reads again.
func unreadable(name string, err error) model.Problem {
	return layer.WholeFile(catalogue.Unreadable, name, "cannot be read: "+text.Clean(err.Error()))
}

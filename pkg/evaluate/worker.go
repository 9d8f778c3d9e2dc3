package evaluate

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/d-aros/d-aros/pkg/model"
)

// A Worker answers the requests of an evaluator in another process. It is for one
// goroutine at a time.
type Worker struct{ form form }

// Answer evaluates what the request says. The error says that it is no request.
func (w *Worker) Answer(data []byte) ([]byte, error) {
	var r request
	if err := cbor.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("decode a request: %w", err)
	}
	switch r.Layer {
	case "platform":
		return mustEncode(evaluatePlatform(sources(r.Files)).answer()), nil
	case "tenant":
		above, problems := newLayer("platform", sources(r.Above))
		if len(problems) > 0 {
			return nil, fmt.Errorf("answer a request: the platform above %s is not valid", r.Tenant)
		}
		return mustEncode(evaluateTenant(r.Tenant, sources(r.Files), &above).answer()), nil
	case "application":
		if !w.form.value.Exists() {
			w.form = newForm()
		}
		in := applicationInput{app: model.AppID{Tenant: r.Tenant, Name: r.Name}, files: sources(r.Files), policy: r.Policy, form: w.form, rest: r.Rest, source: r.Source}
		return mustEncode(guarded(in).answer()), nil
	}
	return nil, fmt.Errorf("answer a request: there is no layer %q", r.Layer)
}

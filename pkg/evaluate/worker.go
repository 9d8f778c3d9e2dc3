package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/d-aros/d-aros/pkg/model"
)

// A Worker answers the requests of an evaluator in another process. It is for one
// goroutine at a time.
type Worker struct {
	form     form // of applications, under the policy that was last
	platform workerPlatform
}

// workerPlatform is the platform that tenants were last under.
type workerPlatform struct {
	files []source
	layer layer
	asked int
	form  form // made when it pays
}

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
		above, form, err := w.above(sources(r.Above))
		if err != nil {
			return nil, fmt.Errorf("answer a request about %s: %w", r.Tenant, err)
		}
		return mustEncode(evaluateTenantBy(form, r.Tenant, sources(r.Files), above).answer()), nil
	case "application":
		if !w.form.value.Exists() {
			w.form = newForm()
		}
		w.form = w.form.under(r.Policy)
		in := applicationInput{app: model.AppID{Tenant: r.Tenant, Name: r.Name}, files: sources(r.Files), policy: r.Policy, form: w.form, rest: r.Rest, source: r.Source}
		return mustEncode(guarded(in).answer()), nil
	case "approval":
		if len(r.Files) != 1 {
			return nil, fmt.Errorf("answer a request about approvals: it has %d files", len(r.Files))
		}
		decided := evaluateApproval(sources(r.Files)[0])
		return mustEncode(answer{Commands: decided.commands, Problems: decided.problems}), nil
	}
	return nil, fmt.Errorf("answer a request: there is no layer %q", r.Layer)
}

// above returns the layer of a platform, and the form of its tenants when more than
// one was asked for.
func (w *Worker) above(files []source) (*layer, form, error) {
	p := &w.platform
	if !slices.EqualFunc(files, p.files, func(a, b source) bool { return a.name == b.name && bytes.Equal(a.data, b.data) }) {
		own, problems := newLayer("platform", files)
		if len(problems) > 0 {
			return nil, form{}, errors.New("the platform above is not valid")
		}
		*p = workerPlatform{files: files, layer: own}
	}
	if p.asked++; p.asked == 2 {
		p.form = newTenantForm(&p.layer)
	}
	return &p.layer, p.form, nil
}

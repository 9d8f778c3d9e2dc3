package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// A Worker answers the requests of an evaluator in another process. It is for one
// goroutine at a time.
type Worker struct {
	form     layer.Form // of applications, under the last policy
	platform workerPlatform
}

// workerPlatform is the platform of the last tenant.
type workerPlatform struct {
	files []layer.Source
	layer layer.Layer
	asked int
	form  layer.Form // made when it pays
}

// Answer evaluates a request. The error means that data is no request.
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
		return mustEncode(evaluateTenant(r.Tenant, sources(r.Files), above, form).answer()), nil
	case "application":
		if !w.form.Made() {
			w.form = layer.NewForm()
		}
		w.form = w.form.Under(r.Policy)
		in := applicationInput{app: model.AppID{Tenant: r.Tenant, Name: r.Name}, files: sources(r.Files), policy: r.Policy, form: w.form, rest: r.Rest, source: r.Source}
		return mustEncode(guarded(in).answer()), nil
	case "approval":
		if len(r.Files) != 1 {
			return nil, fmt.Errorf("answer a request about approvals: it has %d files", len(r.Files))
		}
		commands, problems := decode.Approval(layer.Approval(sources(r.Files)[0]))
		return mustEncode(answer{Commands: commands, Problems: problems}), nil
	case "kustomization":
		if r.Kustomization == nil {
			return nil, errors.New("answer a request about a kustomization: it has none")
		}
		built := r.Kustomization.Build()
		return mustEncode(answer{Built: &built}), nil
	}
	return nil, fmt.Errorf("answer a request: there is no layer %q", r.Layer)
}

// above returns the layer of a platform, and the form of its tenants from the second
// tenant on.
func (w *Worker) above(files []layer.Source) (*layer.Layer, layer.Form, error) {
	p := &w.platform
	if !slices.EqualFunc(files, p.files, func(a, b layer.Source) bool { return a.Name == b.Name && bytes.Equal(a.Data, b.Data) }) {
		own, problems := layer.Parse("platform", files)
		if len(problems) > 0 {
			return nil, layer.Form{}, errors.New("the platform above is not valid")
		}
		*p = workerPlatform{files: files, layer: own}
	}
	if p.asked++; p.asked == 2 {
		p.form = layer.NewTenantForm(&p.layer)
	}
	return &p.layer, p.form, nil
}

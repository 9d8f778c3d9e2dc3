package evaluate

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/render/build"
)

// A Worker answers the requests of an evaluator. It is for one goroutine at a time.
type Worker struct {
	form layer.Form // of applications, under the last policy
}

// Prepare does what all applications need, so that the first one does not wait for it.
func (w *Worker) Prepare() {
	if !w.form.Made() {
		w.form = layer.NewForm()
	}
}

// under returns the form of applications under a policy; without one, it is of none.
func (w *Worker) under(policy []byte) layer.Form {
	if policy != nil {
		w.Prepare()
		w.form = w.form.Under(policy)
	}
	return w.form
}

// Answer evaluates a request. The error means that data is no request.
func (w *Worker) Answer(data []byte) ([]byte, error) {
	var r request
	if err := cbor.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("decode a request: %w", err)
	}
	switch r.Layer {
	case "platform":
		return evaluatePlatform(r).encode(), nil
	case "tenant":
		return evaluateTenant(r).encode(), nil
	case "application":
		return evaluateApplication(r, w.under(r.Policy)).encode(), nil
	case "document":
		return evaluateDocument(r, w.under(r.Policy)).encode(), nil
	case "template":
		if len(r.Files) != 1 {
			return nil, fmt.Errorf("answer a request about a template: it has %d files", len(r.Files))
		}
		said, err := layer.Template(string(r.Files[0].Data), r.Live)
		if err != nil {
			return result{Template: &template{Why: err.Error()}}.encode(), nil
		}
		return result{Template: &template{JSON: said}}.encode(), nil
	case "approval", "removal":
		if len(r.Files) != 1 {
			return nil, fmt.Errorf("answer a request about approvals: it has %d files", len(r.Files))
		}
		var answer result
		if d := layer.Approval(r.Layer, r.Files[0]); r.Layer == "removal" {
			answer.Removals, answer.Problems = decode.Removal(d, r.Tenant)
		} else {
			answer.Commands, answer.Problems = decode.Approval(d)
		}
		return answer.encode(), nil
	case "health":
		h := layer.Health(r.Health, r.Live)
		return result{Health: &h}.encode(), nil
	case "build", "place":
		var recipe build.Recipe
		switch {
		case r.Kustomization != nil:
			recipe = *r.Kustomization
		case r.Chart != nil:
			recipe = *r.Chart
		default:
			return nil, errors.New("answer a request to build: it has no recipe")
		}
		if r.Layer == "place" {
			return result{Built: &build.Result{Place: recipe.Locate()}}.encode(), nil
		}
		built := recipe.Build()
		return result{Built: &built}.encode(), nil
	}
	return nil, fmt.Errorf("answer a request: there is no layer %q", r.Layer)
}

package evaluate

import (
	"errors"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/chart"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
)

// Build follows a recipe through the backend, within the limits of evaluations. A build
// that was ended at a limit has failed. An error means that there was no build.
// It wraps a *Postponed if the tenant has used its share. Builds may run side by side.
func (e *Evaluator) Build(tenant string, r build.Recipe) (build.Result, error) {
	built, err := e.build(tenant, "build", r)
	var exhausted *Exhausted
	switch {
	case errors.As(err, &exhausted):
		return build.Result{Failed: fmt.Sprintf("%s was ended: the build needs too much %s", toolOf(r), exhausted.Limit)}, nil
	case err != nil || built.Failed == "" || built.Place != "":
		return built, err
	}
	// To find the place takes several builds, so it has limits of its own.
	where, err := e.build(tenant, "place", r)
	if errors.As(err, &exhausted) {
		return built, nil
	}
	built.Place = where.Place
	return built, err
}

// build asks for the result of a recipe, or for the place where it fails.
func (e *Evaluator) build(tenant, layer string, r build.Recipe) (build.Result, error) {
	ask := request{Layer: layer}
	switch r := r.(type) {
	case kustomize.Kustomization:
		ask.Kustomization = &r
	case chart.Chart:
		ask.Chart = &r
	}
	answer, err := e.evaluate(tenant, keyOf(layer, toolOf(r), string(model.DigestOf(r))), ask)
	switch {
	case err != nil:
		return build.Result{}, fmt.Errorf("build: %w", err)
	case answer.Built == nil:
		return build.Result{}, errors.New("build: the answer is about something else")
	}
	return *answer.Built, nil
}

// toolOf names what follows a recipe, for messages.
func toolOf(r build.Recipe) string {
	if _, ok := r.(chart.Chart); ok {
		return "helm"
	}
	return "kustomize"
}

package evaluate

import (
	"errors"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
)

// Build builds a kustomization through the backend, within the limits of evaluations. A
// build that was ended at a limit has failed. An error means that there was no build.
// It wraps a *Postponed if the tenant has used its share. Builds may run side by side.
func (e *Evaluator) Build(tenant string, k kustomize.Kustomization) (kustomize.Built, error) {
	built, err := e.build(tenant, "kustomization", k)
	var exhausted *Exhausted
	switch {
	case errors.As(err, &exhausted):
		return kustomize.Built{Failed: fmt.Sprintf("kustomize was ended: the build needs too much %s", exhausted.Limit)}, nil
	case err != nil || built.Failed == "":
		return built, err
	}
	// To find the place takes several builds, so it has limits of its own.
	where, err := e.build(tenant, "place", k)
	if errors.As(err, &exhausted) {
		return built, nil
	}
	built.Place = where.Place
	return built, err
}

// build asks for the result of a kustomization, or for the place where it fails.
func (e *Evaluator) build(tenant, layer string, k kustomize.Kustomization) (kustomize.Built, error) {
	key := keyOf(layer, string(model.DigestOf(k)))
	r, err := e.recall(key), error(nil)
	if r == nil {
		if err = e.backend.Refused(tenant, key); err == nil { // else it is not even encoded
			r, err = e.ask(tenant, key, request{Layer: layer, Kustomization: &k})
		}
	}
	switch {
	case err != nil:
		return kustomize.Built{}, fmt.Errorf("build a kustomization: %w", err)
	case r.Built == nil:
		return kustomize.Built{}, errors.New("build a kustomization: the answer is about something else")
	}
	return *r.Built, nil
}

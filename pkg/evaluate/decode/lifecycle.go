package decode

import (
	"cmp"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// lifecycleDoc is schema.#Lifecycle. The defaults of its fields are below and not in
// policy, because they affect only the application itself.
type lifecycleDoc struct {
	model.Lifecycle
	Grace   string     `json:"grace"`
	Window  string     `json:"window"`
	Backoff backoffDoc `json:"backoff"`
}

func (d *lifecycleDoc) lifecycle(p *model.Policy) model.Lifecycle {
	return model.Lifecycle{
		Grace:      min(durationOr(d.Grace, 30*time.Second), p.MaxGrace),
		Deletion:   cmp.Or(d.Deletion, model.DeletionKeepData),
		OnFailure:  cmp.Or(d.OnFailure, model.OnFailureRestart),
		Threshold:  cmp.Or(d.Threshold, 3),
		Window:     durationOr(d.Window, 10*time.Minute),
		Backoff:    d.Backoff.backoff(),
		Quarantine: cmp.Or(d.Quarantine, 5),
	}
}

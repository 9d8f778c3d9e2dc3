package decode

import (
	"cmp"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// lifecycleDoc is schema.#Lifecycle. Where it is silent, the defaults below hold:
// they need no policy, as nobody is worse off for them but the application.
type lifecycleDoc struct {
	Grace      string          `json:"grace"`
	Deletion   model.Deletion  `json:"deletion"`
	OnFailure  model.OnFailure `json:"onFailure"`
	Threshold  int             `json:"threshold"`
	Window     string          `json:"window"`
	Backoff    backoffDoc      `json:"backoff"`
	Quarantine int             `json:"quarantine"`
}

func (d *lifecycleDoc) lifecycle(p model.Policy) model.Lifecycle {
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

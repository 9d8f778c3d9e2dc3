package evaluate

import (
	"cmp"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// lifecycleDoc is schema.#Lifecycle. Where it is silent, the defaults below hold:
// they need no policy, as nobody is worse off for them but the application.
type lifecycleDoc struct {
	Grace     string `json:"grace"`
	Deletion  string `json:"deletion"`
	OnFailure string `json:"onFailure"`
	Threshold int    `json:"threshold"`
	Window    string `json:"window"`
	Backoff   struct {
		Initial string `json:"initial"`
		Factor  int    `json:"factor"`
		Max     string `json:"max"`
	} `json:"backoff"`
	Quarantine int `json:"quarantine"`
}

func (d *lifecycleDoc) lifecycle(p model.Policy) model.Lifecycle {
	l := model.Lifecycle{
		Grace:     min(durationOr(d.Grace, 30*time.Second), p.MaxGrace),
		Deletion:  cmp.Or(d.Deletion, "keep-data"),
		OnFailure: cmp.Or(d.OnFailure, "restart"),
		Threshold: cmp.Or(d.Threshold, 3),
		Window:    durationOr(d.Window, 10*time.Minute),
		Backoff: model.Backoff{
			Initial: durationOr(d.Backoff.Initial, 10*time.Second),
			Factor:  cmp.Or(d.Backoff.Factor, 2),
		},
		Quarantine: cmp.Or(d.Quarantine, 5),
	}
	l.Backoff.Max = durationOr(d.Backoff.Max, max(5*time.Minute, l.Backoff.Initial))
	return l
}

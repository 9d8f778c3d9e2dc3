package reconcile

import (
	"bytes"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// judged are the workloads that definitions have judged, so that each is judged again only
// when something else is live. It is a cache.
type judged map[model.PartKey]judgement

// judgement is what a definition said of what was live.
type judgement struct {
	source string
	live   []byte
	health model.Health
}

// judge has the definitions of components judge the workloads that are seen. What comes of it
// is part of the observation that a pass decides on. While a tenant has used its share of
// evaluations, the last judgement holds.
func (d *declared) judge(list []model.Workload, ledger *model.Ledger) []model.Workload {
	now := judged{}
	if slices.ContainsFunc(list, func(w model.Workload) bool { return w.Live != nil }) {
		list = slices.Clone(list) // the runtime keeps what it saw
	}
	for i := range list {
		w := &list[i]
		if w.Live == nil {
			continue
		}
		c := componentOf(ledger, w)
		if c == nil || c.Health == "" {
			w.Live = nil
			continue
		}
		key := w.Key()
		is, known := d.judged[key]
		if !known || is.source != c.Health || !bytes.Equal(is.live, w.Live) {
			health, err := d.o.Evaluator.Health(w.App.Tenant, c, w.Live)
			switch {
			case err == nil:
				is = judgement{c.Health, w.Live, health}
			case !known || is.source != c.Health:
				is = judgement{source: c.Health, health: model.Health{Why: "its definition has not judged it yet"}}
			}
		}
		now[key], *w = is, w.Judged(is.health)
	}
	d.judged = now
	return list
}

// componentOf returns the component whose workload it is, of the spec that is accepted; nil if
// the ledger does not know it.
func componentOf(ledger *model.Ledger, w *model.Workload) *model.Component {
	in, ok := ledger.Find(w.App)
	if !ok || in.Spec == nil {
		return nil
	}
	c, _ := in.Spec.Component(w.Component)
	return c
}

package apply

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

var namespaceKind = kind{Version: "v1", Kind: "Namespace"}

// enter ends the work on a set whose namespace is not the fleet's: what is in it belongs
// to others.
func (w *work) enter() []job {
	r := Ref{Kind: namespaceKind.Kind, Name: w.set.Namespace}
	now, _, _ := w.live.find(r)
	if r.Name == "" || now != nil && now.labelled {
		return nil
	}
	return []job{func(ctx context.Context) {
		if err := w.visit(ctx, r); err != nil {
			w.stuck.CompareAndSwap(nil, &err)
			if !slices.ContainsFunc(w.report.Results, func(res Result) bool { return res.Ref == r }) { // else it failed already
				w.failNew(r, err)
			}
		}
	}}
}

// visit looks whose a namespace is that the watch does not show.
func (w *work) visit(ctx context.Context, r Ref) error {
	m, err := w.mapped(ctx, namespaceKind, "")
	if err != nil {
		return err
	}
	if now, _, _ := w.live.find(r); now != nil {
		return nil
	}
	u, err := w.client.get(ctx, m.path("", r.Name))
	if apierrors.IsNotFound(err) {
		return nil // nothing is in it
	}
	if err != nil {
		return err
	}
	w.answered(nil)
	now := w.live.observe(u)
	if _, t, _ := w.live.find(r); !w.mine(now, t) {
		return w.foreign(u)
	}
	return nil
}

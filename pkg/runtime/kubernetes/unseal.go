package kubernetes

import (
	"context"
	"errors"
	"slices"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/sealed"
	"github.com/d-aros/d-aros/pkg/text"
)

// unseal returns a set with its values, or what came of the first file that cannot be opened.
func (r *Runtime) unseal(ctx context.Context, set render.Set) (render.Set, *apply.Result) {
	if !slices.ContainsFunc(set.Objects, func(o render.Object) bool { return o.Sealed != nil }) {
		return set, nil
	}
	set.Objects = slices.Clone(set.Objects)
	for i := range set.Objects {
		o := &set.Objects[i]
		if o.Sealed == nil {
			continue
		}
		values, err := r.o.Opener.Open(ctx, set.App.Tenant, o.Sealed.File, o.Sealed.Data)
		if err != nil {
			return set, shutResult(o, err)
		}
		open, err := o.Unseal(values)
		if err != nil {
			return set, shutResult(o, &sealed.Refusal{Code: sealed.CodeFormat, Message: err.Error()})
		}
		*o = open
	}
	return set, nil
}

// shutResult says why the file of an object was not opened.
func shutResult(o *render.Object, err error) *apply.Result {
	res := &apply.Result{Ref: apply.RefOf(o.Object), Component: o.Component, Action: apply.Failed, Reason: model.OutcomeSecretUnreadable}
	var refused *sealed.Refusal
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		res.Action, res.Reason = apply.Skipped, ""
	case errors.As(err, &refused) && !refused.Final():
		res.Reason = model.OutcomeKeyUnreadable
	}
	res.Message = text.Line(res.Ref.String()+": "+o.Sealed.File+" is not opened: "+err.Error(), 700)
	return res
}

package apply

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Again deletes an object that a controller made of one of ours, so that the controller makes it again from what
// is declared now. It leaves another object of that name alone.
func (a *Applier) Again(ctx context.Context, o *Object) error {
	m, err := a.kinds.find(ctx, kind{Group: o.Group, Kind: o.Kind})
	if err != nil {
		return err
	}
	c := a.client
	if a.accounts.name != "" {
		c = c.as(a.accounts.of(o.Namespace))
	}
	uid := types.UID(o.UID)
	err = c.delete(ctx, m.path(o.Namespace, o.Name), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

package kubernetes

import (
	"context"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// Keys of the ConfigMap that holds the anchor.
const (
	anchorID       = "id"
	anchorSequence = "sequence"
	anchorFleet    = "fleet"
	anchorCommit   = "source-commit"
	anchorTree     = "tree"
	anchorBranch   = "branch"
	anchorTold     = "announced"
	anchorGot      = "delivered"
)

// anchorName is the name of the ConfigMap, and of the Lease beside it.
func (r *Runtime) anchorName() string { return "daros-" + r.o.Fleet }

// Anchor returns what the cluster remembers of the ledger of the fleet, as it stands
// there, and false if it remembers nothing. A number that cannot be read is 0.
func (r *Runtime) Anchor(ctx context.Context) (anchor model.Anchor, found bool, err error) {
	there, err := r.core.ConfigMaps(r.o.Namespace).Get(ctx, r.anchorName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return anchor, false, nil
	}
	if err != nil {
		return anchor, false, fmt.Errorf("read ConfigMap %s/%s: %w", r.o.Namespace, r.anchorName(), err)
	}
	anchor.ID, anchor.Fleet = there.Data[anchorID], there.Data[anchorFleet]
	anchor.Sequence, _ = strconv.ParseInt(there.Data[anchorSequence], 10, 64)
	anchor.Announced, _ = strconv.ParseInt(there.Data[anchorTold], 10, 64)
	anchor.Delivered, _ = strconv.ParseInt(there.Data[anchorGot], 10, 64)
	anchor.Commit, anchor.Branch, anchor.Tree = there.Data[anchorCommit], there.Data[anchorBranch], there.Data[anchorTree]
	return anchor, true, nil
}

// SetAnchor replaces what the cluster remembers, with one request. It makes the
// namespace if there is none.
func (r *Runtime) SetAnchor(ctx context.Context, anchor model.Anchor) error {
	err := r.applyAnchor(ctx, anchor)
	if apierrors.IsNotFound(err) {
		namespace := corev1.Namespace(r.o.Namespace)
		if _, err = r.core.Namespaces().Apply(ctx, namespace, metav1.ApplyOptions{FieldManager: apply.FieldManager}); err == nil {
			err = r.applyAnchor(ctx, anchor)
		}
	}
	if err != nil {
		return fmt.Errorf("write ConfigMap %s/%s: %w", r.o.Namespace, r.anchorName(), err)
	}
	return nil
}

func (r *Runtime) applyAnchor(ctx context.Context, anchor model.Anchor) error {
	return r.applyConfigMap(ctx, r.o.Namespace, r.anchorName(), nil, map[string]string{
		anchorID: anchor.ID, anchorSequence: strconv.FormatInt(anchor.Sequence, 10), anchorFleet: anchor.Fleet,
		anchorCommit: anchor.Commit, anchorBranch: anchor.Branch, anchorTold: strconv.FormatInt(anchor.Announced, 10),
		anchorTree: anchor.Tree, anchorGot: strconv.FormatInt(anchor.Delivered, 10),
	})
}

// applyConfigMap makes a ConfigMap what it is to be. It has no label of the fleet: it is no object of an application.
func (r *Runtime) applyConfigMap(ctx context.Context, namespace, name string, labels, data map[string]string) error {
	wanted := corev1.ConfigMap(name, namespace).WithLabels(map[string]string{render.LabelManagedBy: render.ManagedBy}).WithLabels(labels).WithData(data)
	_, err := r.core.ConfigMaps(namespace).Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: apply.FieldManager, Force: true})
	return err
}

// Inventories returns the inventories of the fleet, in order, and the number of changes
// to them that it knows of; nothing if there was none after the number given.
func (r *Runtime) Inventories(ctx context.Context, after int) ([]model.Inventory, int, error) {
	inventories, changes, err := r.applier.Live().Inventories(ctx, after)
	if err != nil {
		return nil, after, fmt.Errorf("read the inventories of fleet %s: %w", r.o.Fleet, err)
	}
	return inventories, changes, nil
}

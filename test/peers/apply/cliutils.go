package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"sigs.k8s.io/cli-utils/pkg/apply"
	"sigs.k8s.io/cli-utils/pkg/apply/event"
	"sigs.k8s.io/cli-utils/pkg/common"
	"sigs.k8s.io/cli-utils/pkg/inventory"

	"github.com/d-aros/d-aros/pkg/render"
)

// cliUtils gives each application to the Applier of cli-utils: eight at the same time, as each applies one object after
// another. A timeout of zero would wait for readiness for ever, so the wait is given up at once.
func cliUtils(_ *rest.Config, kubeconfig, _ string, count *counter) (applyFunc, func(), error) {
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig = &kubeconfig
	flags.WrapConfigFn = func(c *rest.Config) *rest.Config {
		c.QPS = -1
		c.Wrap(count.wrap)
		return c
	}
	factory := cmdutil.NewFactory(flags)
	inventories, err := inventory.NewClient(factory, inventory.WrapInventoryObj, inventory.InvInfoToConfigMap,
		inventory.StatusPolicyNone, inventory.ConfigMapGVK)
	if err != nil {
		return nil, nil, err
	}
	applier, err := apply.NewApplierBuilder().WithFactory(factory).WithInventoryClient(inventories).Build()
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, sets []render.Set) error {
		return each(ctx, sets, func(ctx context.Context, s *render.Set) error {
			return applySet(ctx, applier, s)
		})
	}, nothing, nil
}

func applySet(ctx context.Context, applier *apply.Applier, s *render.Set) (failed error) {
	name, namespace := s.App.Name, s.Namespace
	if name == "" {
		name, namespace = "scope-"+s.Namespace, "default" // its own is yet to be made
	}
	list := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
		"name": "inventory-" + name, "namespace": namespace, "labels": map[string]any{common.InventoryLabel: s.Namespace + "-" + name},
	}}}
	for e := range applier.Run(ctx, inventory.WrapInventoryInfoObj(list), objectsOf(s), apply.ApplierOptions{
		ServerSideOptions: common.ServerSideOptions{ServerSideApply: true, ForceConflicts: true, FieldManager: "cli-utils"},
		ReconcileTimeout:  time.Millisecond,
		NoPrune:           true,
		InventoryPolicy:   inventory.PolicyAdoptAll,
	}) {
		switch {
		case e.Type == event.ErrorType:
			failed = e.ErrorEvent.Err
		case e.Type == event.ApplyType && e.ApplyEvent.Error != nil:
			failed = fmt.Errorf("apply %s: %w", e.ApplyEvent.Identifier, e.ApplyEvent.Error)
		}
	}
	return failed
}

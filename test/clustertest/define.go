package clustertest

import (
	"bytes"
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// define has the cluster know the kinds of definitions, and waits until it serves them.
func (c *Cluster) define(t testing.TB, text []byte, served ...schema.GroupVersionResource) {
	t.Helper()
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		t.Fatalf("define kinds: %v", err)
	}
	for _, one := range bytes.Split(text, []byte("\n---\n")) {
		var definition unstructured.Unstructured
		if err := yaml.Unmarshal(one, &definition.Object); err != nil {
			t.Fatalf("define kinds: %v", err)
		}
		_, err = client.Resource(definitions).Create(t.Context(), &definition, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatalf("define %s: %v", definition.GetName(), err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), nodesLimit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for len(served) > 0 {
		_, err := client.Resource(served[0]).Namespace("default").List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			served = served[1:]
			continue
		}
		select {
		case <-ctx.Done():
			t.Fatalf("define %s: %v", served[0].Resource, err)
		case <-tick.C:
		}
	}
}

package clustertest

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

//go:embed externalsecrets.yaml
var externalSecrets []byte

var (
	external = schema.GroupVersionResource{Group: "external-secrets.io", Version: "v1", Resource: "externalsecrets"}
	secrets  = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// DefineExternalSecrets has the cluster know the kind ExternalSecret. It stays: other tests share it.
func (c *Cluster) DefineExternalSecrets(t testing.TB) {
	t.Helper()
	c.define(t, externalSecrets, external)
}

// A Store is what External Secrets Operator reads: values by key, or by key#property.
type Store struct {
	client dynamic.Interface

	mu     sync.Mutex
	values map[string]string
}

// Operator plays External Secrets Operator in a namespace until the test ends. It makes Secrets, sets their owner, copies
// labels where there is no template, and says in conditions what came of it, in the operator's words.
func (c *Cluster) Operator(t testing.TB, namespace string) *Store {
	t.Helper()
	c.DefineExternalSecrets(t)
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		t.Fatalf("play the operator: %v", err)
	}
	s := &Store{client: client, values: map[string]string{}}
	repeat(t, "the operator", func(ctx context.Context) error { return s.turn(ctx, namespace) })
	return s
}

// Put writes a value of the store, or takes it out if it is empty.
func (s *Store) Put(ref, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value == "" {
		delete(s.values, ref)
		return
	}
	s.values[ref] = value
}

// turn looks at every ExternalSecret once.
func (s *Store) turn(ctx context.Context, namespace string) error {
	list, err := s.client.Resource(external).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		es := &list.Items[i]
		if data, ok := s.read(es); !ok {
			err = s.report(ctx, es, "False", "SecretSyncedError", "could not get secret data from provider")
		} else if err = s.write(ctx, es, data); err == nil {
			err = s.report(ctx, es, "True", "SecretSynced", "Secret was synced")
		}
		if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// read returns the values that an ExternalSecret names, and whether the store has them all.
func (s *Store) read(es *unstructured.Unstructured) (data map[string]any, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data = map[string]any{}
	list, _, _ := unstructured.NestedSlice(es.Object, "spec", "data")
	for _, entry := range list {
		m := entry.(map[string]any)
		ref, _, _ := unstructured.NestedString(m, "remoteRef", "key")
		if property, _, _ := unstructured.NestedString(m, "remoteRef", "property"); property != "" {
			ref += "#" + property
		}
		value, found := s.values[ref]
		if !found {
			return nil, false
		}
		data[m["secretKey"].(string)] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	list, _, _ = unstructured.NestedSlice(es.Object, "spec", "dataFrom")
	for _, entry := range list {
		key, _, _ := unstructured.NestedString(entry.(map[string]any), "extract", "key")
		before := len(data)
		for ref, value := range s.values {
			if property, of := strings.CutPrefix(ref, key+"#"); of {
				data[property] = base64.StdEncoding.EncodeToString([]byte(value))
			}
		}
		if len(data) == before {
			return nil, false
		}
	}
	return data, true
}

// write makes the Secret, or changes its values.
func (s *Store) write(ctx context.Context, es *unstructured.Unstructured, data map[string]any) error {
	name, _, _ := unstructured.NestedString(es.Object, "spec", "target", "name")
	target := s.client.Resource(secrets).Namespace(es.GetNamespace())
	made, err := target.Get(ctx, name, metav1.GetOptions{})
	missing := apierrors.IsNotFound(err)
	switch {
	case missing:
		made = &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "type": "Opaque"}}
		made.SetName(name)
	case err != nil:
		return err
	}
	if was, _, _ := unstructured.NestedMap(made.Object, "data"); !missing && maps.Equal(was, data) {
		return nil
	}
	if _, has, _ := unstructured.NestedMap(es.Object, "spec", "target", "template"); !has {
		made.SetLabels(es.GetLabels())
		made.SetAnnotations(es.GetAnnotations())
	}
	yes := true
	made.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: es.GetAPIVersion(), Kind: es.GetKind(), Name: es.GetName(), UID: es.GetUID(), Controller: &yes, BlockOwnerDeletion: &yes,
	}})
	made.Object["data"] = data
	if missing {
		_, err = target.Create(ctx, made, metav1.CreateOptions{})
	} else {
		_, err = target.Update(ctx, made, metav1.UpdateOptions{})
	}
	return err
}

// report writes the condition. What is synced stays as it is after a failure.
func (s *Store) report(ctx context.Context, es *unstructured.Unstructured, ready, reason, message string) error {
	synced := fmt.Sprintf("%d-%s", es.GetGeneration(), es.GetUID())
	was, _, _ := unstructured.NestedString(es.Object, "status", "syncedResourceVersion")
	conditions, _, _ := unstructured.NestedSlice(es.Object, "status", "conditions")
	if len(conditions) == 1 && conditions[0].(map[string]any)["status"] == ready && (ready != "True" || was == synced) {
		return nil
	}
	status := map[string]any{"conditions": []any{map[string]any{
		"type": "Ready", "status": ready, "reason": reason, "message": message, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}}}
	if was != "" {
		status["syncedResourceVersion"] = was
	}
	if ready == "True" {
		status["syncedResourceVersion"] = synced
	}
	es.Object["status"] = status
	_, err := s.client.Resource(external).Namespace(es.GetNamespace()).UpdateStatus(ctx, es, metav1.UpdateOptions{})
	return err
}

package apply

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// page returns the objects of a kind at a path, or as many as the options allow. It may take
// as long as ctx allows.
func (c *client) page(ctx context.Context, k kind, path string, opts metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	answer, err := decode(c.do(ctx, options(c.rest.Get(), path, opts)))
	if err != nil {
		return nil, err
	}
	list, err := answer.ToList()
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(k) // the items of a list have none
	}
	return list, nil
}

// watch returns what changes at a path.
func (c *client) watch(ctx context.Context, path string, opts metav1.ListOptions) (w apiwatch.Interface, err error) {
	opts.Watch = true
	r := c.impersonate(options(c.rest.Get(), path, opts))
	err = c.account.patiently(ctx, func() error {
		body, err := r.Stream(ctx)
		if err == nil {
			w = apiwatch.NewStreamWatcher(&events{body, json.NewDecoder(body)}, apierrors.NewClientErrorReporter(http.StatusInternalServerError, "watch", "ClientWatchDecoding"))
		}
		return err
	})
	return w, err
}

func options(r *rest.Request, path string, opts metav1.ListOptions) *rest.Request {
	return r.AbsPath(path).SpecificallyVersionedParams(&opts, scheme.ParameterCodec, schema.GroupVersion{Version: "v1"})
}

// events reads the events of a watch. The decoders of client-go look at each object for its
// kind several times before they read it, which costs more than all else in a first apply.
type events struct {
	body io.ReadCloser
	json *json.Decoder
}

func (e *events) Decode() (apiwatch.EventType, runtime.Object, error) {
	var event struct {
		Type   apiwatch.EventType `json:"type"`
		Object json.RawMessage    `json:"object"`
	}
	if err := e.json.Decode(&event); err != nil {
		return "", nil, err
	}
	if event.Type == apiwatch.Error {
		status := &metav1.Status{}
		return event.Type, status, json.Unmarshal(event.Object, status)
	}
	u := &unstructured.Unstructured{}
	return event.Type, u, utiljson.Unmarshal(event.Object, &u.Object)
}

func (e *events) Close() { _ = e.body.Close() }

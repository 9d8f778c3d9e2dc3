package apply

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// watch returns what changes of a kind at a path, as kept.
func (c *client) watch(ctx context.Context, k kind, path string, opts metav1.ListOptions, live *Live) (w apiwatch.Interface, err error) {
	opts.Watch = true
	whole := opts.SendInitialEvents != nil && *opts.SendInitialEvents
	r := c.impersonate(options(c.rest.Get(), path, opts))
	err = c.account.patiently(ctx, func() error {
		body, err := r.Stream(ctx)
		if err == nil {
			w = apiwatch.NewStreamWatcher(newEvents(body, k, whole, live), apierrors.NewClientErrorReporter(http.StatusInternalServerError, "watch", "ClientWatchDecoding"))
		}
		return err
	})
	return w, err
}

func options(r *rest.Request, path string, opts metav1.ListOptions) *rest.Request {
	return r.AbsPath(path).SpecificallyVersionedParams(&opts, scheme.ParameterCodec, schema.GroupVersion{Version: "v1"})
}

// events reads the events of a watch. The decoders of client-go look at each object for its kind several times before
// they read it, which costs more than all else in a first apply.
type events struct {
	body  io.Closer
	lines *bufio.Reader
	json  *json.Decoder // of what does not come line by line, nil as long as all does
	kind  kind
	whole bool // it is still telling all objects that there are
	live  *Live
}

func newEvents(body io.ReadCloser, k kind, whole bool, live *Live) *events {
	return &events{body: body, lines: bufio.NewReaderSize(body, 16<<10), kind: k, whole: whole, live: live}
}

// next returns the next event. The API server ends each with a newline, and a line costs a third of what the decoder of a
// stream does. Where events come otherwise, that decoder reads the rest.
func (e *events) next() (string, error) {
	if e.json == nil {
		line, err := e.lines.ReadString('\n')
		if err == nil && gjson.Valid(line) {
			return line, nil
		}
		if err != nil && err != io.EOF {
			return "", err
		}
		e.json = json.NewDecoder(io.MultiReader(strings.NewReader(line), e.lines))
	}
	var told json.RawMessage
	err := e.json.Decode(&told)
	return string(told), err
}

// Decode returns the next event that says something new. The version up to which all is told comes with bookmarks, about
// every minute: a watch that breaks before tells again what is known.
func (e *events) Decode() (apiwatch.EventType, runtime.Object, error) {
	for {
		told, err := e.next()
		if err != nil {
			return "", nil, err
		}
		event := gjson.Parse(told)
		typ, object := apiwatch.EventType(at(event, "type").Str), at(event, "object").Raw
		switch {
		case typ == apiwatch.Error:
			status := &metav1.Status{}
			return typ, status, json.Unmarshal([]byte(object), status)
		case typ == apiwatch.Bookmark:
			u, err := decodeObject([]byte(object))
			e.whole = e.whole && !(err == nil && annotation(u, metav1.InitialEventsAnnotationKey) == "true")
			return typ, u, err
		case !e.whole && (typ == apiwatch.Added || typ == apiwatch.Modified) && e.heard(object):
			continue
		}
		o, err := e.live.read(object)
		if err != nil {
			return "", nil, err
		}
		return typ, keep(o), nil
	}
}

// heard reports whether an object need not be decoded.
func (e *events) heard(object string) bool {
	seen, ok := peek(object)
	return ok && e.live.heard(Ref{e.kind.Group, e.kind.Kind, seen.namespace, seen.name}, seen.version, object)
}

func (e *events) Close() { _ = e.body.Close() }

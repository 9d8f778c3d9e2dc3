package apply

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// answerIn is how long one request may take. An admission webhook may take 30 s.
const answerIn = 40 * time.Second

// client sends requests and counts them.
type client struct {
	http    *http.Client
	rest    rest.Interface
	manager string
	account *account // that is impersonated, nil: none
	*counts
}

// counts are the requests of a client, and of those that impersonate with it.
type counts struct {
	applies, gets, dels atomic.Int64
	ended               atomic.Int64 // requests with an answer, or given up
}

func newClient(cfg *rest.Config, manager string) (*client, error) {
	hc, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	cfg = rest.CopyConfig(cfg)
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	rc, err := rest.UnversionedRESTClientForConfigAndClient(cfg, hc)
	if err != nil {
		return nil, err
	}
	return &client{http: hc, rest: rc, manager: manager, counts: &counts{}}, nil
}

// as returns the client that impersonates an account, over the same connections.
func (c *client) as(a *account) *client {
	impersonated := *c
	impersonated.account = a
	return &impersonated
}

// do makes a request.
func (c *client) do(ctx context.Context, r *rest.Request) (answer rest.Result) {
	r = c.impersonate(r)
	_ = c.account.patiently(ctx, func() error {
		answer = r.Do(ctx)
		return answer.Error()
	})
	return answer
}

func (c *client) impersonate(r *rest.Request) *rest.Request {
	if c.account != nil {
		r.SetHeader(transport.ImpersonateUserHeader, c.account.user())
	}
	return r
}

// apply sends the wanted fields of an object and returns the whole object, encoded. With force
// it takes over fields that others hold. It may take as long as ctx allows.
func (c *client) apply(ctx context.Context, path string, body []byte, force bool) (object []byte, created bool, err error) {
	c.applies.Add(1)
	defer c.ended.Add(1)
	var code int
	object, err = whole(c.do(ctx, c.rest.Patch(types.ApplyYAMLPatchType).AbsPath(path).
		Param("fieldManager", c.manager).Param("force", strconv.FormatBool(force)).
		Body(body)).StatusCode(&code))
	if err == nil && !gjson.ValidBytes(object) {
		err = errors.New("the answer is no JSON")
	}
	return object, code == http.StatusCreated, err
}

// try asks whether the API server would take an object, and changes nothing.
func (c *client) try(ctx context.Context, path string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	c.applies.Add(1)
	defer c.ended.Add(1)
	return c.do(ctx, c.rest.Patch(types.ApplyYAMLPatchType).AbsPath(path).Param("fieldManager", c.manager).Param("dryRun", metav1.DryRunAll).Body(body)).Error()
}

func (c *client) get(ctx context.Context, path string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	c.gets.Add(1)
	defer c.ended.Add(1)
	return decode(c.do(ctx, c.rest.Get().AbsPath(path)))
}

// list returns the objects of a kind with certain labels at a path.
func (c *client) list(ctx context.Context, k kind, path, labels string) ([]unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	c.gets.Add(1)
	defer c.ended.Add(1)
	list, err := c.page(ctx, k, path, metav1.ListOptions{LabelSelector: labels})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func (c *client) delete(ctx context.Context, path string, opts metav1.DeleteOptions) error {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	c.dels.Add(1)
	defer c.ended.Add(1)
	return c.do(ctx, c.rest.Delete().AbsPath(path).Body(&opts)).Error()
}

func (c *client) requests() Requests {
	return Requests{Apply: int(c.applies.Load()), Get: int(c.gets.Load()), Delete: int(c.dels.Load())}
}

// whole returns the body of an answer. The error of a refusal is complete only if it is read
// before the body.
func whole(answer rest.Result) ([]byte, error) {
	if err := answer.Error(); err != nil {
		return nil, err
	}
	return answer.Raw()
}

func decode(answer rest.Result) (*unstructured.Unstructured, error) {
	body, err := whole(answer)
	if err != nil {
		return nil, err
	}
	return decodeObject(body)
}

func decodeObject(text []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	return u, utiljson.Unmarshal(text, &u.Object)
}

package apply

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
)

// FieldManager is the name under which fields are owned.
const FieldManager = "d-aros"

// Options of an Applier.
type Options struct {
	Fleet   string // whose objects these are: the value of render.LabelFleet
	Workers int    // requests at the same time, default 8

	// Patience is how long a pass waits for the answer to one request, default 1 s, and up to ten times as long while all
	// answers take long. A test that holds one pass to something waits longer: on a busy machine an answer may take seconds.
	Patience time.Duration

	// Slice is how long a call of Apply waits for what it began. 0: until all has ended.
	Slice time.Duration

	// InventorySize is how many bytes one ConfigMap of an inventory gets, default inventorySize.
	InventorySize int

	// Account is the name of the ServiceAccount that requests about the objects of
	// applications impersonate, that of the object's namespace. Secrets are then watched
	// in the namespaces that have one. "": nobody is impersonated.
	Account string

	// Summary returns the value to keep of a watched object, instead of the object. It
	// is compared with reflect.DeepEqual, and must not keep the object.
	Summary func(*unstructured.Unstructured) any

	Now func() time.Time // default time.Now
}

// Applier applies sets to one cluster. Close ends its watches.
type Applier struct {
	fleet   string
	workers int
	client  *client
	kinds   *kinds
	live    *Live
	fights  *fights
	queue   *queue
	slice   time.Duration

	inventorySize int

	turn sync.Mutex // one Apply at a time
	told Requests   // in reports of Apply

	mu      sync.Mutex
	current map[model.AppID]*work // that no report has told the end of

	unanswered *unanswered
	accounts   *accounts
}

// New returns an Applier for the cluster. It sends nothing yet. Client-side
// rate limits are off: the API server's priority and fairness rules decide.
func New(cfg *rest.Config, opts Options) (*Applier, error) {
	if opts.Fleet == "" {
		return nil, fmt.Errorf("apply: the fleet has no name")
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.RateLimiter = -1, nil
	cfg.WarningHandler = rest.NoWarnings{}
	cfg.ContentConfig = rest.ContentConfig{}
	client, err := newClient(cfg, FieldManager)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", cfg.Host, err)
	}
	kinds, err := newKinds(cfg, client.http)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", cfg.Host, err)
	}
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	accounts := newAccounts(opts.Account, now)
	live := newLive(client, kinds, accounts, opts)
	workers := cmp.Or(opts.Workers, 8)
	unanswered := newUnanswered(workers/2, opts.Patience)
	return &Applier{
		fleet: opts.Fleet, workers: workers, client: client, kinds: kinds, live: live,
		queue: newQueue(workers, unanswered.of), slice: opts.Slice, inventorySize: cmp.Or(opts.InventorySize, inventorySize), current: map[model.AppID]*work{},
		fights: &fights{now: now, all: map[field]*fight{}}, unanswered: unanswered, accounts: accounts,
	}, nil
}

// Live returns the watch cache that Apply compares with.
func (a *Applier) Live() *Live { return a.live }

// Answered counts the requests that have ended. It is for concurrent use.
func (a *Applier) Answered() int64 { return a.client.ended.Load() }

// Close ends all watches and requests, and waits for them.
func (a *Applier) Close() {
	a.unanswered.end()
	a.queue.jobs.Wait()
	a.live.close()
}

// mapped returns how the API server serves a kind, and waits until it is watched where a
// namespace is, "" for objects without one.
func (a *Applier) mapped(ctx context.Context, k kind, namespace string) (mapping, error) {
	m, err := a.kinds.find(ctx, k)
	if err != nil {
		return m, err
	}
	return m, a.live.follow(m, namespace).wait(ctx)
}

package apply

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/d-aros/d-aros/pkg/model"
)

// Live has the state of a fleet's objects in the cluster: a watch cache of every
// kind that the fleet uses. It keeps only a small part of each object.
// Its methods may be called from any goroutine.
type Live struct {
	client *client
	kinds  *kinds

	accounts *accounts
	summary  func(*unstructured.Unstructured) any
	fleet    string // whose objects are watched: the value of render.LabelFleet

	ctx  context.Context // ends the watches
	stop context.CancelFunc
	done sync.WaitGroup

	changed chan struct{}

	mu          sync.Mutex
	watches     map[place]*watch
	objects     map[Ref]*Object
	apps        map[model.AppID][]*Object // in order
	left        map[Ref]trace
	drifted     map[Ref]bool // objects that may have changed since our last apply
	touched     map[model.AppID]bool
	inventoried int // changes to inventories, from 1

	sending map[Ref]*sending // objects with a request under way
}

func newLive(c *client, k *kinds, a *accounts, opts Options) *Live {
	l := &Live{
		client: c, kinds: k, accounts: a, summary: opts.Summary,
		fleet:   opts.Fleet,
		changed: make(chan struct{}, 1),
		watches: map[place]*watch{},
		objects: map[Ref]*Object{},
		apps:    map[model.AppID][]*Object{},
		left:    map[Ref]trace{},
		drifted: map[Ref]bool{},
		touched: map[model.AppID]bool{},
		sending: map[Ref]*sending{}, inventoried: 1,
	}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

func (l *Live) close() {
	l.stop()
	l.done.Wait()
}

// Watch starts to watch further kinds, such as pods, that show the state of the
// fleet's objects. It returns when the watches are in sync.
func (l *Live) Watch(ctx context.Context, want ...schema.GroupVersionKind) error {
	var started []*watch
	for _, k := range want {
		m, err := l.kinds.find(ctx, k)
		if err != nil {
			return err
		}
		started = append(started, l.follow(m, ""))
	}
	for _, w := range started {
		if err := w.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Explain starts to watch a kind that shows the state of objects of another one, once that is
// watched. It skips a kind that the API server does not serve, or does not let us watch.
func (l *Live) Explain(ctx context.Context, of schema.GroupKind, by schema.GroupVersionKind) error {
	l.mu.Lock()
	used := l.watches[place{of, ""}] != nil
	l.mu.Unlock()
	if !used {
		return nil
	}
	var unknown *unknownKind
	if err := l.Watch(ctx, by); err != nil && !errors.As(err, &unknown) && !refused(err) {
		return err
	}
	return nil
}

// WaitForSync waits until all kinds in inventories are watched and in sync. It skips
// kinds that the API server does not let us watch: they concern only the applications
// that use them.
func (l *Live) WaitForSync(ctx context.Context) error {
	return l.waitForSync(ctx, refused)
}

// WaitForAll waits in the same way, and fails for a kind that we may not watch.
func (l *Live) WaitForAll(ctx context.Context) error {
	return l.waitForSync(ctx, func(error) bool { return false })
}

func (l *Live) waitForSync(ctx context.Context, skip func(error) bool) error {
	first := []kind{configMap}
	if l.accounts.name != "" {
		first = append(first, bindingKind)
	}
	if err := l.Watch(ctx, first...); err != nil {
		return err
	}
	for _, at := range l.listed() {
		m, err := l.kinds.find(ctx, at.kind.WithVersion(""))
		var unknown *unknownKind
		if errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return err
		}
		l.follow(m, at.namespace)
	}
	for _, w := range l.all() {
		if err := w.wait(ctx); err != nil && !skip(err) {
			return err
		}
	}
	return nil
}

// listed returns what is listed in inventories and not watched yet. What only an account
// may watch counts when there is one.
func (l *Live) listed() []place {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := map[place]bool{}
	for _, o := range l.objects {
		if o.inventory == nil {
			continue
		}
		for _, r := range o.inventory.refs {
			at := l.place(schema.GroupKind{Group: r.Group, Kind: r.Kind}, r.Namespace)
			if l.watches[at] == nil && (at.namespace == "" || l.objects[l.accounts.of(at.namespace).binding()] != nil) {
				found[at] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b place) int { return strings.Compare(a.String(), b.String()) })
}

// Broken returns when and why the first of the broken watches broke: the state in
// Live may be as old as that. The error is nil if all work. Watches
// that the API server refuses are not broken.
func (l *Live) Broken() (since time.Time, err error) {
	for _, w := range l.all() {
		if at, e := w.Broken(); e != nil && !refused(e) && (err == nil || at.Before(since)) {
			since, err = at, e
		}
	}
	return since, err
}

func (l *Live) all() []*watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Values(l.watches), func(a, b *watch) int {
		return strings.Compare(a.place.String(), b.place.String())
	})
}

// Objects returns the objects of an application, in order.
func (l *Live) Objects(app model.AppID) []*Object {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.apps[app])
}

// Changed returns a channel that gets a value after a change that Touched or Drifted
// report, and after Wake. Many changes may share one value.
func (l *Live) Changed() <-chan struct{} { return l.changed }

// Drifted returns, in order, the applications with an object that another manager
// changed or deleted since the last call, if the drift is still there. That includes
// objects that another process applied with our field manager: its request may have
// arrived after the object was pruned.
func (l *Live) Drifted() []model.AppID {
	l.mu.Lock()
	defer l.mu.Unlock()
	apps := map[model.AppID]bool{}
	for r := range l.drifted {
		now := l.objects[r]
		switch t, ok := l.left[r]; {
		case !ok && now != nil && now.prunable():
			apps[now.App] = true
		case ok && (now == nil || now.left != t.left || now.applied != t.applied):
			apps[t.app] = true
		}
	}
	clear(l.drifted)
	return slices.SortedFunc(maps.Keys(apps), model.AppID.Compare)
}

// Touched returns, in order, the applications with an object that changed since the
// last call.
func (l *Live) Touched() []model.AppID {
	l.mu.Lock()
	defer l.mu.Unlock()
	apps := slices.SortedFunc(maps.Keys(l.touched), model.AppID.Compare)
	clear(l.touched)
	return apps
}

// Wake makes the channel of Changed get a value.
func (l *Live) Wake() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// put records an object as the API server has it.
func (l *Live) put(o *Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set(o) {
		l.Wake()
	}
}

// set keeps o unless a newer version is known, and reports whether that is a change.
func (l *Live) set(o *Object) bool {
	old := l.objects[o.Ref]
	if old != nil && !newer(o.Version, old.Version) {
		return false
	}
	if old != nil && old.UID == o.UID && old.Deleting {
		o.Deleting = true // a deletion is never taken back
	}
	sending := l.sending[o.Ref] != nil
	switch t, ok := l.left[o.Ref]; {
	case ok && t.left == o.left && t.applied == o.applied:
		o.own = ""
	case !sending && (ok || o.prunable()): // a change while we send may be our own
		l.drifted[o.Ref] = true
	}
	if o.inventory != nil || old != nil && old.inventory != nil {
		l.inventoried++
	}
	if old != nil && old.App != o.App {
		l.unlist(old)
		l.touched[old.App] = true
	}
	l.list(o)
	if old != nil && old.same(o) {
		return false
	}
	l.touched[o.App] = true
	return true
}

// remove forgets an object that was deleted, or lost our label, at a version.
func (l *Live) remove(r Ref, version string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drop(r, version) {
		l.Wake()
	}
}

func (l *Live) drop(r Ref, version string) bool {
	sent := l.sending[r]
	if sent != nil {
		sent.deleted = version
	}
	old := l.objects[r]
	if old == nil || newer(old.Version, version) {
		return false
	}
	delete(l.objects, r)
	if old.inventory != nil {
		l.inventoried++
	}
	l.unlist(old)
	l.touched[old.App] = true
	if _, ok := l.left[r]; ok && sent == nil {
		l.drifted[r] = true
	}
	return true
}

// list puts an object in the place of what was known of it.
func (l *Live) list(o *Object) {
	l.objects[o.Ref] = o
	all := l.apps[o.App]
	i, known := slices.BinarySearchFunc(all, o.Ref, compareRef)
	if known {
		all[i] = o
		return
	}
	l.apps[o.App] = slices.Insert(all, i, o)
}

func (l *Live) unlist(o *Object) {
	all := l.apps[o.App]
	i, known := slices.BinarySearchFunc(all, o.Ref, compareRef)
	if !known {
		return
	}
	if all = slices.Delete(all, i, i+1); len(all) == 0 {
		delete(l.apps, o.App)
		return
	}
	l.apps[o.App] = all
}

func compareRef(o *Object, r Ref) int { return o.Compare(r) }

// relisted replaces all that is known of one place.
func (l *Live) relisted(at place, objects []*Object, version string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	news := false
	there := make(map[Ref]bool, len(objects))
	for _, o := range objects {
		there[o.Ref] = true
		news = l.set(o) || news
	}
	for r := range l.objects {
		if r.Group == at.kind.Group && r.Kind == at.kind.Kind && (at.namespace == "" || r.Namespace == at.namespace) && !there[r] {
			news = l.drop(r, version) || news
		}
	}
	if news {
		l.Wake()
	}
}

// newer reports whether version a is after b. If they cannot be compared, a counts as
// newer: the last one that arrives wins.
func newer(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err != nil || order > 0
}

func groupOf(apiVersion string) string {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return ""
	}
	return gv.Group
}

package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// Followed is one application that somebody looks at. Its methods are for concurrent use.
type Followed struct {
	*runtime.Background // the watches
	live                *Live
	app                 model.AppID
	selected            string // the labels of its objects

	objects  dynamic.Interface
	metadata metadata.Interface
	core     *v1.CoreV1Client

	mu      sync.Mutex
	ledger  *model.Ledger // that want is of
	want    liveWant
	watches map[livePlace]*liveWatch
	version int
	changed chan struct{}
}

// settleIn is how long a look waits for what the cluster has not shown yet.
const settleIn = 5 * time.Second

// alwaysSeen are the kinds that are watched whatever an application is made of: what workloads make, what they use, what tells
// about them, and the inventories, which say what else there is.
var alwaysSeen = []schema.GroupKind{
	{Kind: "ConfigMap"}, {Kind: "Pod"}, {Group: "apps", Kind: "ReplicaSet"}, {Group: "batch", Kind: "Job"}, {Kind: "PersistentVolumeClaim"}, secretKind, eventKind,
}

// mostKinds bounds the watches of an application.
const mostKinds = 64

// Look returns what there is, compared with what a ledger wants. It waits for what was not seen yet, but not long. An error is
// that the cluster has shown nothing at all.
func (f *Followed) Look(ctx context.Context, ledger *model.Ledger) (runtime.Live, error) {
	f.wants(ledger)
	ctx, cancel := context.WithTimeout(ctx, settleIn)
	defer cancel()
	for f.follow() { // what was seen may name further kinds
		for _, w := range f.all() {
			_ = w.Wait(ctx, w.synced)
		}
	}
	for _, w := range f.all() {
		_ = w.Wait(ctx, w.synced)
	}
	return f.look()
}

// wants remembers what is wanted.
func (f *Followed) wants(ledger *model.Ledger) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ledger != ledger {
		f.ledger, f.want = ledger, f.live.want(ledger, f.app)
	}
}

// follow begins the watches that are missing, and reports whether there were any.
func (f *Followed) follow() (begun bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.want.namespace == "" || f.Ctx.Err() != nil {
		return false
	}
	kinds := slices.Clone(alwaysSeen)
	for i := range f.want.objects {
		kinds = append(kinds, f.want.objects[i].Object.GroupVersionKind().GroupKind())
	}
	for _, r := range f.listed() {
		kinds = append(kinds, r.GroupKind())
	}
	for _, k := range kinds {
		at := livePlace{k, f.want.namespace}
		if f.watches[at] != nil || len(f.watches) == mostKinds {
			continue
		}
		w := &liveWatch{Health: apply.NewHealth(k.Kind), livePlace: at, of: f, synced: make(chan struct{}), seen: map[types.UID]*unstructured.Unstructured{}}
		w.Turned = f.touch
		f.watches[at] = w
		f.Busy.Go(func() { w.run(f.Ctx) })
		begun = true
	}
	return begun
}

// listed returns what the inventories of the application list.
func (f *Followed) listed() (refs []apply.Ref) {
	w := f.watches[livePlace{schema.GroupKind{Kind: "ConfigMap"}, f.want.namespace}]
	if w == nil {
		return nil
	}
	for _, u := range w.seen {
		list, _ := apply.Listed(u, f.app)
		refs = append(refs, list...)
	}
	return refs
}

// all returns the watches where the application is, in order.
func (f *Followed) all() (list []*liveWatch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for at, w := range f.watches {
		if at.namespace == f.want.namespace {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *liveWatch) int {
		return cmp.Or(cmp.Compare(a.kind.Group, b.kind.Group), cmp.Compare(a.kind.Kind, b.kind.Kind))
	})
	return list
}

// look returns what the watches hold.
func (f *Followed) look() (runtime.Live, error) {
	var v runtime.Live
	whole := map[schema.GroupKind]bool{} // all that there is was seen
	var why error
	for _, w := range f.all() {
		_, err := w.Broken()
		select {
		case <-w.synced:
			whole[w.kind] = true
		default:
			if err == nil {
				err = fmt.Errorf("watch %s: the cluster has not answered within %s", w.kind.Kind, settleIn)
			}
		}
		switch {
		case err == nil:
		case notShown(err) || !whole[w.kind]:
			v.Unseen = append(v.Unseen, text.Clean(err.Error()))
			why = cmp.Or(why, err)
		default:
			v.Stale = cmp.Or(v.Stale, text.Clean(err.Error()))
		}
	}
	if why != nil && len(whole) == 0 {
		return v, fmt.Errorf("the cluster shows nothing of %s: %w", f.app, why)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	t := liveTree{app: f.app, wanted: f.want.objects, listed: f.listed(), whole: whole}
	v.Unwanted = text.Clean(f.want.unknown)
	var events []*unstructured.Unstructured
	for at, w := range f.watches {
		switch {
		case at.namespace != f.want.namespace:
		case at.kind == eventKind:
			events = slices.Collect(maps.Values(w.seen))
		default:
			t.objects = slices.AppendSeq(t.objects, maps.Values(w.seen))
			v.Total += w.more
		}
	}
	v.Objects = t.list()
	v.Total += len(v.Objects)
	v.Objects = v.Objects[:min(len(v.Objects), mostObjects)]
	v.Events = eventsOf(t.objects, events)
	return v, nil
}

// mostObjects bounds the objects of an answer.
const mostObjects = 1000

// notShown reports whether the API server does not let us see a kind, or has none of it, in contrast to a watch that broke.
func notShown(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) || meta.IsNoMatchError(err)
}

// touch tells those who wait that something changed.
func (f *Followed) touch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	close(f.changed)
	f.changed = make(chan struct{})
}

// Changed returns a number that grows with each change, and a channel that is closed at the next one.
func (f *Followed) Changed() (version int, next <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version, f.changed
}

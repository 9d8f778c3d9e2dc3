package chaos

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/d-aros/d-aros/pkg/render"
)

// watch sees what the fleet runs, also for a moment.
type watch struct {
	mu       sync.Mutex
	declared map[string]bool   // images that a commit declared
	images   map[string]string // where an image was seen
	deleted  []string          // what of it was deleted, without pods
}

func newWatch(t *testing.T, client kubernetes.Interface, fleet string) *watch {
	t.Helper()
	w := &watch{declared: map[string]bool{}, images: map[string]string{}}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.LabelSelector = render.LabelFleet + "=" + fleet
	}))
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: w.see, UpdateFunc: func(_, now any) { w.see(now) }, DeleteFunc: w.miss,
	}
	for _, i := range []cache.SharedIndexInformer{
		factory.Apps().V1().Deployments().Informer(), factory.Apps().V1().StatefulSets().Informer(),
		factory.Core().V1().Pods().Informer(), factory.Core().V1().PersistentVolumeClaims().Informer(),
		factory.Core().V1().Namespaces().Informer(), factory.Core().V1().Services().Informer(), factory.Networking().V1().Ingresses().Informer(),
	} {
		_, err := i.AddEventHandler(handler)
		require.NoError(t, err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	t.Cleanup(func() {
		close(stop)
		factory.Shutdown()
	})
	factory.WaitForCacheSync(stop)
	return w
}

// declare says that an image is declared from now on.
func (w *watch) declare(image string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.declared[image] = true
}

func (w *watch) see(o any) {
	var spec corev1.PodSpec
	switch o := o.(type) {
	case *appsv1.Deployment:
		spec = o.Spec.Template.Spec
	case *appsv1.StatefulSet:
		spec = o.Spec.Template.Spec
	case *corev1.Pod:
		spec = o.Spec
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		w.images[c.Image] = where(o)
	}
}

func (w *watch) miss(o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	if _, ok := o.(*corev1.Pod); ok {
		return // an update deletes pods
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deleted = append(w.deleted, where(o))
}

func where(o any) string {
	m := o.(metav1.Object)
	return strings.TrimPrefix(fmt.Sprintf("%T", o), "*") + " " + m.GetNamespace() + "/" + m.GetName()
}

// undeclared returns where an image was seen that no commit declared.
func (w *watch) undeclared() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for image, at := range w.images {
		if !w.declared[image] {
			return fmt.Errorf("%s in %s", image, at)
		}
	}
	return nil
}

// lost returns what was deleted, though it was to stay.
func (w *watch) lost(mayGo func(where string) bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.deleted {
		if !mayGo(at) {
			return fmt.Errorf("%s was deleted", at)
		}
	}
	return nil
}

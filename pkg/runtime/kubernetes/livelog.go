package kubernetes

import (
	"context"
	"fmt"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// Logs opens the log of a container of the application: its last lines and, until the container ends or the context does,
// what follows. Each line begins with its time. A pod that the application does not have gives a *runtime.NotLiveError.
func (f *Followed) Logs(ctx context.Context, q runtime.LogQuery) (io.ReadCloser, error) {
	namespace, ok := f.hasContainer(q.Pod, q.Container)
	if !ok {
		return nil, &runtime.NotLiveError{Sentence: fmt.Sprintf("%s has no pod %s with a container %s now", f.app, text.Line(q.Pod, maxReason), text.Line(q.Container, maxReason))}
	}
	lines := int64(q.Lines)
	log, err := f.core.Pods(namespace).GetLogs(q.Pod, &corev1.PodLogOptions{
		Container: q.Container, Previous: q.Previous, Follow: !q.Previous, TailLines: &lines, Timestamps: true,
	}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log of container %s of pod %s: %w", q.Container, q.Pod, err)
	}
	return log, nil
}

// hasContainer returns the namespace of a pod of the application, if it has a container of that name.
func (f *Followed) hasContainer(pod, container string) (namespace string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.watches[livePlace{schema.GroupKind{Kind: "Pod"}, f.want.namespace}]
	if w == nil {
		return "", false
	}
	for _, u := range w.seen {
		if u.GetName() == pod {
			return u.GetNamespace(), slices.ContainsFunc(containersOf(u), func(c runtime.LiveContainer) bool { return c.Name == container })
		}
	}
	return "", false
}

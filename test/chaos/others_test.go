package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/test/gittest"
)

// makeOthers makes objects of Helm and of people in the namespace of acme. One has the name of an object that acme/legacy
// declares.
func (w *world) makeOthers() error {
	ns := w.name + "-acme"
	if err := w.until("the namespace of acme", func() error {
		_, err := w.cluster.Clientset.CoreV1().Namespaces().Get(w.t.Context(), ns, metav1.GetOptions{})
		return err
	}); err != nil {
		return err
	}
	return errors.Join(
		w.make("/api/v1/namespaces/"+ns+"/configmaps", "legacy-settings", `{"metadata": {"name": "legacy-settings", "labels": {"app.kubernetes.io/managed-by": "Helm"},
			"annotations": {"meta.helm.sh/release-name": "legacy", "meta.helm.sh/release-namespace": "`+ns+`"}}, "data": {"key": "of helm"}}`),
		w.make("/api/v1/namespaces/"+ns+"/services", "by-hand", `{"metadata": {"name": "by-hand"}, "spec": {"ports": [{"port": 80}], "selector": {"a": "b"}}}`))
}

// make makes an object of others, to stay as it is.
func (w *world) make(path, name, object string) error {
	if err := w.cluster.Clientset.CoreV1().RESTClient().Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body([]byte(object)).Do(w.t.Context()).Error(); err != nil {
		return err
	}
	return w.note(path + "/" + name)
}

// others are objects of others as they must stay, by their paths.
type others struct {
	mu sync.Mutex // held while they are looked at, so that none is forgotten in the meantime
	as map[string]string
}

// forget ends that the objects must stay whose path has a part.
func (o *others) forget(part string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.as, func(path, _ string) bool { return strings.Contains(path+"/", part) })
}

// note takes down an object of others, by its path, as it must stay.
func (w *world) note(path string) error {
	w.others.mu.Lock()
	defer w.others.mu.Unlock()
	now, err := w.object(path)
	if w.others.as == nil {
		w.others.as = map[string]string{}
	}
	w.others.as[path] = now
	return err
}

func (w *world) othersStay() error {
	w.others.mu.Lock()
	defer w.others.mu.Unlock()
	for path, was := range w.others.as {
		now, err := w.object(path)
		if err != nil {
			return err
		}
		if now != was {
			return fmt.Errorf("%s was\n%s\nand is\n%s", path, was, now)
		}
	}
	return nil
}

// object reads what is at a path.
func (w *world) object(path string) (string, error) {
	b, err := w.cluster.Clientset.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(w.t.Context())
	return string(bytes.ToValidUTF8(b, nil)), err
}

// fight changes the selector of a Service each time that it is put back, until the log says so.
func (w *world) fight() (func() error, error) {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	services := w.cluster.Clientset.CoreV1().Services(w.name + "-acme")
	go func() {
		defer close(done)
		ticker := time.NewTicker(200 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if w.selects("web") == nil { // else it is as the other manager wants it
				_, _ = services.Patch(ctx, "shop-web", types.MergePatchType, []byte(`{"spec": {"selector": {"d-aros.dev/component": "db"}}}`), metav1.PatchOptions{FieldManager: "other"})
			}
		}
	}()
	log := w.reconciler.written()
	return func() error {
		defer func() { <-done }()
		defer cancel()
		return w.says("again each time that it was put back", log)
	}, nil
}

// selects demands that the Service of acme/shop leads to a component.
func (w *world) selects(component string) error {
	s, err := w.cluster.Clientset.CoreV1().Services(w.name+"-acme").Get(w.t.Context(), "shop-web", metav1.GetOptions{})
	if err == nil && s.Spec.Selector["d-aros.dev/component"] != component {
		err = fmt.Errorf("the Service selects %s", s.Spec.Selector["d-aros.dev/component"])
	}
	return err
}

// secondFleet runs a copy of the repo, with older images and a tenant of its own, as another fleet. Its objects are objects
// of others from then on.
func (w *world) secondFleet() (func() error, error) {
	w.others.forget("/" + w.name + "-umbrella/") // it may change them until it is stopped
	if w.second == nil {
		repo := gittest.NewBare(w.t)
		clone := gittest.New(w.t)
		clone.Git("pull", "-q", w.bare.Dir, "main")
		for _, set := range []map[string]string{
			shop("registry.example.com/shop:old"), app("globex", "api", web("registry.example.com/api:old")),
			tenant("umbrella"), app("umbrella", "tools", config("settings")+"\n"+web("registry.example.com/tools:1")),
		} {
			for name, content := range set {
				clone.Write(name, content)
			}
		}
		clone.Commit("a copy")
		clone.Git("push", "-q", repo.Dir, "HEAD:main")
		w.second = w.newProcess(w.name+"-copy", repo.Dir, w.cluster.Kubeconfig, w.t.TempDir())
	}
	w.second.start()
	return func() error {
		defer w.second.stop()
		if err := w.until("the second fleet runs what is its own", func() error {
			if err := w.running(w.second.repo, "umbrella/tools"); err != nil {
				return err
			}
			l, err := w.ledger(w.second.repo)
			if err != nil {
				return err
			}
			for i := range l.Instances {
				if in := &l.Instances[i]; in.App.Tenant == "globex" && len(in.Outcomes) == 0 {
					return fmt.Errorf("globex of the second fleet is %s: %s", in.Phase, in.Message)
				}
			}
			return nil
		}); err != nil {
			return err
		}
		w.second.stop()
		ns := w.name + "-umbrella"
		return errors.Join(w.note("/api/v1/namespaces/"+ns), w.note("/api/v1/namespaces/"+ns+"/configmaps/tools-settings"),
			w.note("/api/v1/namespaces/"+ns+"/services/tools-web"), w.note("/apis/apps/v1/namespaces/"+ns+"/deployments/tools-web"))
	}, nil
}

// takeOver removes an application while the reconciler is down and a backup brings its object again, which is another one
// then, with the labels of the one that was applied.
func (w *world) takeOver() (func() error, error) {
	w.number++
	name := fmt.Sprint("passing", w.number)
	w.commit(name, app("acme", name, config("note")))
	maps := w.cluster.Clientset.CoreV1().ConfigMaps(w.name + "-acme")
	if err := w.until(name+" is there", func() error { return w.running(w.bare.Dir, "acme/"+name) }); err != nil {
		return nil, err
	}
	w.reconciler.stop()
	was, err := maps.Get(w.t.Context(), name+"-note", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if err := maps.Delete(w.t.Context(), was.Name, metav1.DeleteOptions{}); err != nil {
		return nil, err
	}
	was.ObjectMeta = metav1.ObjectMeta{Name: was.Name, Labels: was.Labels, Annotations: was.Annotations}
	was.Data = map[string]string{"key": "of a backup"}
	if _, err := maps.Create(w.t.Context(), was, metav1.CreateOptions{FieldManager: "backup"}); err != nil {
		return nil, err
	}
	if err := w.note("/api/v1/namespaces/" + w.name + "-acme/configmaps/" + was.Name); err != nil {
		return nil, err
	}
	w.commit("without "+name, map[string]string{"tenants/acme/apps/" + name: ""})
	w.reconciler.start()
	return func() error {
		return w.until("the inventory of "+name+" is gone", func() error {
			_, err := maps.Get(w.t.Context(), "d-aros.inventory."+name, metav1.GetOptions{})
			if err == nil {
				return fmt.Errorf("it is there")
			}
			if !apierrors.IsNotFound(err) {
				return err
			}
			return nil
		})
	}, nil
}

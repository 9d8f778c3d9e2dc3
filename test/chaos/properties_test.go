package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// properties must hold after every fault, once the next change has arrived.
var properties = []struct {
	name  string
	holds func(*world) error
}{
	{"nothing runs that no commit declares", func(w *world) error { return w.watch.undeclared(w.declared) }},
	{"what ran keeps running, and no volume is deleted", (*world).keepsRunning},
	{"objects of others stay as they are", (*world).othersStay},
	{"the chain of signed saves only grows", (*world).chainGrows},
	{"recorded decisions can be computed again", (*world).replays},
	{"no secret shows on the branch, in the log, in Events or metrics", (*world).secretsStay},
	{"the memory of the reconciler stays below its limit", (*world).memoryStays},
	{"the reconciler never ends by itself", func(w *world) error { return w.reconciler.unexpected() }},
}

func (w *world) holds() error {
	for _, p := range properties {
		if err := p.holds(w); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// change declares another image of acme/shop, and waits until it runs.
func (w *world) change() error {
	w.tag++
	image := w.image(fmt.Sprint("shop:", w.tag))
	w.commit("shop: "+image, shop(image))
	return w.until("a change of another tenant arrives", func() error {
		d, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(w.t.Context(), "shop-web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if now := d.Spec.Template.Spec.Containers[0].Image; now != image {
			return fmt.Errorf("%s runs instead of %s", now, image)
		}
		return nil
	})
}

// keepsRunning looks at an application that nobody changes, and at all that was deleted.
func (w *world) keepsRunning() error {
	d, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-globex").Get(w.t.Context(), "api-web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if d.Generation != 1 || d.Status.ReadyReplicas != 2 {
		return fmt.Errorf("globex/api is at generation %d with %d of 2 replicas", d.Generation, d.Status.ReadyReplicas)
	}
	return w.watch.lost(func(where string) bool {
		return strings.HasPrefix(where, "v1.Deployment "+w.name+"-mallory/") // which an attacker deletes
	})
}

// note takes down an object of others, by its path, as it must stay.
func (w *world) note(path string) error {
	now, err := w.cluster.Clientset.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(w.t.Context())
	w.others[path] = string(now)
	return err
}

func (w *world) othersStay() error {
	for path, was := range w.others {
		now, err := w.cluster.Clientset.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(w.t.Context())
		if err != nil {
			return err
		}
		if string(now) != was {
			return fmt.Errorf("%s was\n%s\nand is\n%s", path, was, now)
		}
	}
	return nil
}

// replays computes the decisions of the last save again.
func (w *world) replays() error {
	out, err := command("", w.program, "replay", "--repo", w.bare.Dir, "--status-trust", w.told.trust)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func (w *world) secretsStay() error {
	log := w.reconciler.logged(w.told.log)
	w.told.log += len(log)
	metrics, err := w.reconciler.get("/metrics")
	if err != nil {
		return err
	}
	places := map[string]string{"the log": log, "the metrics": metrics, "the branch": w.told.news}
	for _, tenant := range []string{"acme", "globex", "mallory"} {
		events, err := w.cluster.Clientset.CoreV1().RESTClient().Get().AbsPath("/api/v1/namespaces/" + w.name + "-" + tenant + "/events").DoRaw(w.t.Context())
		if err != nil {
			return err
		}
		places["the Events of "+tenant] = string(bytes.ToValidUTF8(events, nil))
	}
	for place, text := range places {
		if strings.Contains(text, canary) {
			return errors.New("a secret is in " + place)
		}
	}
	return nil
}

package chaos

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A property holds whatever is done, but for the faults that spare it: while one of these lasts, and until the next change
// has arrived, which is at most 5 minutes (patience) after its end, it may not hold or cannot be looked at.
type property struct {
	name   string
	holds  func(*world) error
	spares func(*fault) bool
}

var properties = []property{
	{"nothing runs that no commit declares", func(w *world) error { return w.watch.undeclared() }, never},
	{"what ran keeps running, and no volume is deleted", (*world).keepsRunning, never},
	{"objects of others stay as they are", (*world).othersStay, never},
	{"the reconciler writes only to the namespaces of its tenants, its anchor and the plan for its nodes", func(w *world) error { return w.gate.strayed() }, never},
	{"the chain of signed saves only grows", (*world).chainGrows, func(f *fault) bool { return f.forges || f.moves }},
	{"recorded decisions can be computed again", (*world).replays, always}, // it starts a program
	{"no secret shows on the branch, in the log, in Events or metrics", (*world).secretsStay, func(f *fault) bool { return f.moves }},
	{"the memory of the reconciler stays below its limit", (*world).memoryStays, never},
	{"passes that fail wait for each other", (*world).failsSeldom, never},
	{"the reconciler never ends by itself", func(w *world) error { return w.reconciler.unexpected() }, never},
}

func never(*fault) bool  { return false }
func always(*fault) bool { return true }

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

// replays computes the decisions of the last save again.
func (w *world) replays() error {
	out, err := command("", w.program, "replay", "--repo", w.bare.Dir, "--status-trust", w.told.trust)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// tooOften is more failed passes than an interval of a second and all that the faults do bring about between two checks.
const tooOften = 100

// failsSeldom counts the passes that failed since the check before.
func (w *world) failsSeldom() error {
	log := w.reconciler.logged(w.told.passes)
	w.told.passes += len(log)
	if failed := strings.Count(log, `msg="pass failed"`); failed > tooOften {
		return fmt.Errorf("%d failed since the check before", failed)
	}
	return nil
}

// secretsStay looks through what is new on the branch and in the log, and through all Events and metrics. A process that
// was killed has no metrics until it runs again.
func (w *world) secretsStay() error {
	news, err := w.news()
	if err != nil {
		return err
	}
	log := w.reconciler.logged(max(0, w.told.log-len(canary)))
	w.told.log = max(0, w.told.log-len(canary)) + len(log)
	metrics, _ := w.reconciler.get("/metrics")
	places := map[string]string{"the log": log, "the metrics": metrics, "the branch": news}
	for _, tenant := range []string{"acme", "globex", "mallory"} {
		if places["the Events of "+tenant], err = w.object("/api/v1/namespaces/" + w.name + "-" + tenant + "/events"); err != nil {
			return err
		}
	}
	for place, text := range places {
		if strings.Contains(text, canary) {
			return errors.New("a secret is in " + place)
		}
	}
	return nil
}

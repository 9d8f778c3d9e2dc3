package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// TestUpgradeAnnotates: objects that a version made which named no release are sent
// once, for their annotations. Nothing else of them changes, no pod and no run.
func TestUpgradeAnnotates(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "docs", web(1, "1")),
		app("acme", "shop", steps(migration("1")+web(2, "1"), migrate, release))))
	w.phase("acme/docs", model.PhaseRunning)
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	// A cluster counts a change of an annotation as a generation of a Deployment.
	generation := regexp.MustCompile(` [0-9]+}$`)
	everything := func() map[string]string {
		all := w.everything()
		for name, is := range all {
			all[name] = generation.ReplaceAllString(is, "")
		}
		return all
	}
	before, ledger := everything(), w.ledger()
	w.stop()

	ctx, ns := t.Context(), w.name+"-acme"
	deployments := w.cluster.Clientset.AppsV1().Deployments(ns)
	services := w.cluster.Clientset.CoreV1().Services(ns)
	sent := 0
	former := func(m metav1.ObjectMeta, patch func(name string, body []byte) error) {
		var told render.Told
		require.NoError(t, json.Unmarshal([]byte(m.Annotations[render.AnnotationGrant]), &told))
		app := model.AppID{Tenant: "acme", Name: m.Labels[render.LabelApplication]}
		inst, _ := ledger.Find(app)
		require.Equal(t, string(inst.Release()), m.Annotations[render.AnnotationRelease])
		digest, _, _ := strings.Cut(m.Annotations[render.AnnotationWorkload], ".")
		c, _ := inst.Spec.Component(told.Component)
		require.Equal(t, digest, string(model.WorkloadDigest(c, told.Grant, told.Run)))
		require.NoError(t, patch(m.Name, []byte(`{"metadata":{"annotations":{"`+render.AnnotationGrant+`":null,"`+render.AnnotationRelease+`":null,"`+render.AnnotationApplied+`":"former"}}}`)))
		sent++
	}
	options := metav1.PatchOptions{FieldManager: apply.FieldManager}
	all, err := deployments.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	for _, d := range all.Items {
		former(d.ObjectMeta, func(name string, body []byte) error {
			_, err := deployments.Patch(ctx, name, types.MergePatchType, body, options)
			return err
		})
	}
	more, err := services.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	for _, s := range more.Items {
		former(s.ObjectMeta, func(name string, body []byte) error {
			_, err := services.Patch(ctx, name, types.MergePatchType, body, options)
			return err
		})
	}
	require.Equal(t, 4, sent)
	seen := func() { // the controllers have seen what was changed, as they have in a cluster that is at rest
		require.Eventually(t, func() bool {
			all, err := deployments.List(ctx, metav1.ListOptions{})
			return err == nil && !slices.ContainsFunc(all.Items, func(d appsv1.Deployment) bool { return d.Status.ObservedGeneration < d.Generation })
		}, patience, 20*time.Millisecond)
	}
	seen()

	w.start()
	r := w.pass()
	require.Empty(t, r.Transitions())
	require.Empty(t, r.Changes)
	require.EqualValues(t, sent, w.writes.Load(), "each is sent once")
	w.settled()
	require.EqualValues(t, sent, w.writes.Load())
	seen()
	require.Equal(t, before, everything())
	after := w.ledger()
	for i := range ledger.Instances {
		was, is := &ledger.Instances[i], &after.Instances[i]
		require.Equal(t, []any{was.App, was.Number, was.Phase, was.Since, was.Release(), was.Run, was.History}, []any{is.App, is.Number, is.Phase, is.Since, is.Release(), is.Run, is.History})
	}
	w.stop()
}

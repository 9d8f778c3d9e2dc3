package e2e

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/tier"
)

// twoClusters is a world whose loop has a second cluster.
type twoClusters struct {
	*world
	west   *clustertest.Cluster
	road   *road // to west
	second *kubernetes.Runtime
	pruned int // objects, in all passes
}

func newTwoClusters(t *testing.T) *twoClusters {
	w := &twoClusters{world: newWorld(t), west: clustertest.Alone(t)}
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.west.AddNodes(t, w.name, 2, "4", "16Gi")
	w.road = newRoad(t, w.west.Config)
	w.restart()
	return w
}

// restart runs the reconciler anew.
func (w *twoClusters) restart() {
	w.stop()
	open := func(cluster string, cfg *rest.Config) *kubernetes.Runtime {
		r, err := kubernetes.New(cfg, kubernetes.Options{Fleet: w.name, Prefix: w.name + "-", Cluster: cluster})
		require.NoError(w.t, err)
		return r
	}
	east, west := open("", w.cluster.Config), open("west", w.road.config)
	mux, clusters := runtime.NewMux(east, west), kubernetes.NewClusters(east, west)
	w.engine = newEngine(w.t, w.repo, w.name, w.cluster.Config, func(o *reconcile.Options) {
		o.Runtime, o.Clusters, o.Nodes, o.Recognition.Anchor = mux, []string{"west"}, clusters, clusters
		o.Recall = mux.Recall
	})
	w.engine.mux.Close()
	w.engine.mux = mux
	w.carrier, w.second = east, west
}

// fleet declares a pool in each cluster; that of the far one is in the cluster given.
func (w *twoClusters) fleet(far string) map[string]string {
	all := platform(w.name)
	all["far.cue"] = fmt.Sprintf("package fleet\n\nplatform: pools: far: {cluster: %q, nodes: selector: \"d-aros.dev/pool\": %q}\n", far, w.name)
	if far == "" {
		all["far.cue"] = fmt.Sprintf("package fleet\n\nplatform: pools: far: nodes: selector: \"d-aros.dev/pool\": %q\n", w.name)
	}
	return all
}

// placed is an application whose component is in a pool.
func placed(name, pool string, replicas int, tag string) map[string]string {
	all := app("acme", name, web(replicas, tag))
	all["tenants/acme/apps/"+name+"/place.cue"] = fmt.Sprintf("package fleet\n\napplication: components: web: placement: pool: %q\n", pool)
	return all
}

// deployment returns that of an application, nil if the cluster has none.
func (w *twoClusters) deployment(in *clustertest.Cluster, app string) *appsv1.Deployment {
	d, err := in.Clientset.AppsV1().Deployments(w.name+"-acme").Get(w.t.Context(), app+"-web", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.t, err)
	return d
}

// until makes passes, which may fail, until something is so.
func (w *twoClusters) until(what string, so func(*model.Ledger) bool) {
	w.t.Helper()
	var err error
	for limit := time.After(patience); ; {
		var r reconcile.Report
		r, err = w.loop.Pass(w.t.Context())
		require.False(w.t, errors.Is(err, status.ErrMoved))
		w.pruned += r.Applied.Count(runtime.Pruned)
		ledger := w.ledger()
		if so(&ledger) {
			return
		}
		select {
		case <-w.mux.Changed():
		case <-time.After(time.Second):
		case <-limit:
			w.t.Fatalf("waited %s for: %s\n%v\n%s", patience, what, err, describe(ledger))
		}
	}
}

func running(app string, ready int) func(*model.Ledger) bool {
	return func(l *model.Ledger) bool {
		inst, ok := l.Find(model.AppID{Tenant: "acme", Name: app})
		return ok && inst.Phase == model.PhaseRunning && inst.Components[0].Run == ready && inst.Components[0].State == model.StateReady
	}
}

// TestTwoClusters: a fleet over two clusters, each with what its pools have. While one is away, for
// more than a minute, the other goes on, also when the reconciler starts meanwhile; when it is back
// nothing was pruned and nothing starts twice, but what changed is carried out. When a pool moves to the other cluster, what is in it is never gone. A cluster that
// nobody told the reconciler of is refused where it stands.
func TestTwoClusters(t *testing.T) {
	if !tier.Soak() {
		t.Skip("without -soak: starts a second API server; TestCrashWhileMoving has one for two clusters")
	}
	w := newTwoClusters(t)
	w.commit("a fleet", merge(w.fleet("west"), tenant("acme", 12, ""), placed("near", "general", 1, "1"), placed("away", "far", 2, "1")))
	w.until("both run", func(l *model.Ledger) bool { return running("near", 1)(l) && running("away", 2)(l) })
	before := w.deployment(w.west, "away")
	require.NotNil(t, before)
	require.NotNil(t, w.deployment(w.cluster, "near"))
	require.Nil(t, w.deployment(w.cluster, "away"))
	require.Nil(t, w.deployment(w.west, "near"))
	for _, c := range []*clustertest.Cluster{w.cluster, w.west} {
		_, err := c.Clientset.CoreV1().ResourceQuotas(w.name+"-acme").Get(t.Context(), "d-aros", metav1.GetOptions{})
		require.NoError(t, err)
	}
	w.pruned = 0

	w.road.close()
	left := time.Now()
	w.commit("a change in both", merge(placed("near", "general", 3, "1"), placed("away", "far", 2, "2")))
	w.until("the cluster that answers goes on", running("near", 3))
	w.until("what west shows is known to be old", func(l *model.Ledger) bool {
		_, err := w.second.Inspect(t.Context(), l.Platform)
		return err != nil
	})
	require.Equal(t, before.UID, w.deployment(w.west, "away").UID)
	require.Equal(t, before.Generation, w.deployment(w.west, "away").Generation)

	saved := w.ledger()
	w.restart()
	w.commit("a change while it is away", placed("near", "general", 2, "1"))
	w.until("a new process goes on with the cluster that answers", running("near", 2))
	w.until("a minute has passed", func(l *model.Ledger) bool {
		is, ok := l.Find(model.AppID{Tenant: "acme", Name: "away"})
		was, _ := saved.Find(model.AppID{Tenant: "acme", Name: "away"})
		require.True(t, ok && is.Phase == was.Phase && is.Number == was.Number, "what is away is neither lost nor begun again")
		require.Equal(t, saved.Pools, l.Pools)
		return time.Since(left) > time.Minute
	})

	w.road.open()
	w.until("the change is carried out", func(l *model.Ledger) bool {
		return running("away", 2)(l) && w.deployment(w.west, "away").Spec.Template.Spec.Containers[0].Image == "registry.example.com/web:2"
	})
	require.Equal(t, before.UID, w.deployment(w.west, "away").UID, "it is the same one")
	require.Nil(t, w.deployment(w.cluster, "away"))
	require.Zero(t, w.pruned)

	w.commit("a cluster that nobody knows", w.fleet("north"))
	w.until("it is refused", func(l *model.Ledger) bool { return len(l.Problems) > 0 })
	ledger := w.ledger()
	require.Equal(t, "DA1349", ledger.Problems[0].Code)
	require.Equal(t, "far.cue:3:33", ledger.Problems[0].Places[0].At)
	require.NotNil(t, w.deployment(w.west, "away"))

	w.commit("a pool that moves", w.fleet(""))
	serves := func(d *appsv1.Deployment) bool {
		return d != nil && d.Status.ReadyReplicas == 2 && d.DeletionTimestamp == nil
	}
	w.restart()
	w.until("it has moved", func(*model.Ledger) bool {
		old, moved := w.deployment(w.west, "away"), w.deployment(w.cluster, "away")
		require.True(t, serves(old) || serves(moved), "it is never gone")
		return old == nil
	})
	w.until("it is seen", running("away", 2))
	w.restart()
	w.until("all is as it was after a restart", func(l *model.Ledger) bool { return running("away", 2)(l) && running("near", 2)(l) })
}

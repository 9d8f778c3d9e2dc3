package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/test/clustertest"
)

// fleetName marks the demo's objects in the cluster.
const fleetName = "demo"

// externalPrefix keeps the demo's namespaces apart in a cluster that has others.
const externalPrefix = "d-aros-demo-"

// nodes of the cluster that the example fleet is written for.
const (
	nodeCPU, nodeMemory = "8", "32Gi"
	poolGeneral         = "general"
	poolBatch           = "batch"
)

var poolNodes = map[string]int{poolGeneral: 12, poolBatch: 4}

// cluster is the Kubernetes API that the demo uses.
type cluster struct {
	kubeconfig string
	prefix     string // of namespaces
	client     *kubernetes.Clientset
	external   bool
	nodes      map[string]int // by pool
	own        *child         // the embedded one
}

// openExternal uses the cluster of $KUBECONFIG. The demo makes no nodes in it.
func openExternal(ctx context.Context, kubeconfig string) (*cluster, error) {
	c := &cluster{kubeconfig: kubeconfig, prefix: externalPrefix, external: true}
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	if err := c.removeNamespaces(ctx); err != nil {
		return nil, fmt.Errorf("remove an earlier demo from the cluster of %s: %w", kubeconfig, err)
	}
	var missing []string
	for _, pool := range []string{poolGeneral, poolBatch} {
		if c.nodes[pool] == 0 {
			missing = append(missing, "d-aros.dev/pool="+pool)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf(`the cluster of %s has no nodes labelled %s.
The example fleet runs on two pools. Label some nodes of yours, in three zones for general:
  kubectl label node NODE d-aros.dev/pool=general
  kubectl label node NODE d-aros.dev/pool=batch
Its images do not exist, so that only simulated nodes (KWOK) bring its pods up.
Or let the demo start a cluster of its own: env -u KUBECONFIG make demo`, kubeconfig, strings.Join(missing, " and "))
	}
	storage, err := c.hasStorage(ctx)
	if err == nil && !storage {
		err = fmt.Errorf("the cluster of %s has neither a default StorageClass nor a free volume, and the shop's database needs one", kubeconfig)
	}
	return c, err
}

// hasStorage reports whether a claim that names no class can be served.
func (c *cluster) hasStorage(ctx context.Context) (bool, error) {
	classes, err := c.client.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, fmt.Errorf("list the storage classes of the cluster: %w", err)
	}
	for i := range classes.Items {
		if classes.Items[i].Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
			return true, nil
		}
	}
	volumes, err := c.client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, fmt.Errorf("list the volumes of the cluster: %w", err)
	}
	return slices.ContainsFunc(volumes.Items, func(v corev1.PersistentVolume) bool {
		return v.Spec.StorageClassName == "" && v.Status.Phase == corev1.VolumeAvailable
	}), nil
}

// exact reports whether the nodes are those that the story is written for.
func (c *cluster) exact() bool {
	for pool, n := range poolNodes {
		if c.nodes[pool] != n {
			return false
		}
	}
	return true
}

func (c *cluster) String() string {
	kind := "embedded"
	if c.external {
		kind = "that of " + c.kubeconfig
	}
	return fmt.Sprintf("%s, %d nodes in pool general, %d in pool batch", kind, c.nodes[poolGeneral], c.nodes[poolBatch])
}

// startCluster starts the embedded cluster and waits until it is ready.
func startCluster(ctx context.Context, p *place, show *progress) (*cluster, error) {
	binary, err := clustertest.Build(ctx, builds{show})
	if err != nil {
		return nil, err
	}
	show.set("Kubernetes", "starts", false)
	dir := p.path("cluster")
	c := &cluster{kubeconfig: p.path("cluster", "kubeconfig.yaml")}
	c.own, err = startChild("the cluster", p.path("cluster.log"), os.Environ(), binary, "up", "--dir", dir, "--die-with-parent",
		"--pools", fmt.Sprintf("general=%d,batch=%d", poolNodes[poolGeneral], poolNodes[poolBatch]), "--cpu", nodeCPU, "--memory", nodeMemory, "--zones", "3")
	if err != nil {
		return nil, err
	}
	for {
		_, err := os.Stat(c.kubeconfig)
		if err == nil {
			return c, c.connect(ctx)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
		select {
		case <-c.own.done:
			return c, c.own.ended()
		default:
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return c, err
		}
	}
}

func (c *cluster) connect(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	if err != nil {
		return fmt.Errorf("read kubeconfig %s: %w", c.kubeconfig, err)
	}
	config.Timeout = 30 * time.Second
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "d-aros.dev/pool"})
	if err != nil {
		return fmt.Errorf("list the nodes of the cluster of %s: %w", c.kubeconfig, err)
	}
	c.nodes = map[string]int{}
	for i := range nodes.Items {
		c.nodes[nodes.Items[i].Labels["d-aros.dev/pool"]]++
	}
	return nil
}

// deployment tells which image a Deployment runs and how many of its replicas
// are up to date and ready.
func (c *cluster) deployment(ctx context.Context, tenant, name string) (image string, ready int, err error) {
	d, err := c.client.AppsV1().Deployments(c.prefix+tenant).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", 0, err
	}
	return d.Spec.Template.Spec.Containers[0].Image, int(min(d.Status.ReadyReplicas, d.Status.UpdatedReplicas)), nil
}

// removeNamespaces deletes what a demo made in a cluster that stays, and waits
// until it is gone.
func (c *cluster) removeNamespaces(ctx context.Context) error {
	// The ledger that the cluster remembers was in a repo that is gone.
	anchors := c.client.CoreV1().ConfigMaps("daros-system")
	if err := anchors.Delete(ctx, "daros-"+fleetName, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	for {
		list, err := c.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: render.LabelFleet + "=" + fleetName})
		if err != nil {
			return err
		}
		left := 0
		for i := range list.Items {
			ns := &list.Items[i]
			if !strings.HasPrefix(ns.Name, externalPrefix) {
				continue
			}
			left++
			if ns.DeletionTimestamp != nil {
				continue
			}
			if err := c.client.CoreV1().Namespaces().Delete(ctx, ns.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
		if left == 0 {
			return nil
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

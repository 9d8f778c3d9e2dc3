package clustertest

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// SkipVariable skips the tests that need a cluster when it is 1, on machines that cannot build one.
const SkipVariable = "DAROS_SKIP_CLUSTER"

// A Cluster is a running Kubernetes cluster that this process may use until it ends.
type Cluster struct {
	Kubeconfig string // path of a kubeconfig file with all rights
	Config     *rest.Config
	Clientset  *kubernetes.Clientset
	External   bool // it is the one that KUBECONFIG names, and its nodes may be real
}

// Start returns the cluster. The first call of a process builds, starts or joins it; the cluster stays until the
// process ends. The test fails if there can be none.
func Start(t testing.TB) *Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: this test needs a Kubernetes cluster")
	}
	if os.Getenv(SkipVariable) == "1" {
		t.Skipf("%s=1: tests that need a Kubernetes cluster are skipped", SkipVariable)
	}
	ctx := t.Context()
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := limited.Deadline(); ok {
			// Better a message than the panic with which go test ends a test that takes too long.
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-10*time.Second))
			defer cancel()
		}
	}
	c, err := Join(ctx, os.Stderr)
	if err != nil {
		t.Fatalf("%v\n(%s=1 skips the tests that need a cluster; KUBECONFIG=FILE runs them on another one)", err, SkipVariable)
	}
	return c
}

// joined is the cluster of this process.
var joined struct {
	sync.Mutex
	cluster *Cluster
	user    io.Closer // never closed: its lock, which ends with the process, keeps the cluster running
}

// Join is Start for those who have no test at hand, such as TestMain. After an error it may be tried again.
func Join(ctx context.Context, progress io.Writer) (*Cluster, error) {
	joined.Lock()
	defer joined.Unlock()
	if joined.cluster != nil {
		return joined.cluster, nil
	}
	if kubeconfig := os.Getenv("KUBECONFIG"); kubeconfig != "" {
		c, err := connect(kubeconfig)
		if err != nil {
			return nil, err
		}
		c.External = true
		joined.cluster = c
		return c, nil
	}
	binary, err := Build(ctx, progress)
	if err != nil {
		return nil, err
	}
	root, err := checkoutRoot()
	if err != nil {
		return nil, err
	}
	cache, err := cacheDir(root)
	if err != nil {
		return nil, err
	}
	s, err := newShared(cache, binary)
	if err != nil {
		return nil, err
	}
	user, err := s.join(ctx, progress)
	if err != nil {
		return nil, err
	}
	c, err := connect(s.kubeconfig())
	if err != nil {
		user.Close()
		return nil, err
	}
	joined.cluster, joined.user = c, user
	return c, nil
}

func connect(kubeconfig string) (*Cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig %s: %w", kubeconfig, err)
	}
	config.QPS = -1 // the limit of client-go would be the slowest part of every test
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig %s: %w", kubeconfig, err)
	}
	return &Cluster{Kubeconfig: kubeconfig, Config: config, Clientset: clientset}, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// TestKubernetes proves that what D-AROS relies on is the real thing: one subtest for each promise of the API.
func TestKubernetes(t *testing.T) {
	dir := t.TempDir()
	up := startUp(t, dir, "--pools=general=3,batch=1", "--zones=3", "--cpu=8", "--memory=16Gi")
	config, err := clientcmd.BuildConfigFromFlags("", dir+"/kubeconfig.yaml")
	require.NoError(t, err)
	config.QPS = -1
	k := &kube{Clientset: up.client(t), config: config}

	for name, check := range map[string]func(*testing.T, *kube, string){
		"server-side-apply":     checkServerSideApply,
		"rollout":               checkRollout,
		"unschedulable":         checkUnschedulable,
		"quota":                 checkQuota,
		"jobs":                  checkJobs,
		"statefulset-daemonset": checkStatefulSetAndDaemonSet,
		"volumes":               checkVolumes,
		"eviction":              checkEviction,
		"custom-resource":       checkCustomResource,
		"garbage-collection":    checkGarbageCollection,
		"access":                checkAccess,
		"namespace-deletion":    checkNamespaceDeletion,
		"zones":                 checkZones,
		"pools":                 checkPools,
		"failures":              checkFailures,
		"node-failure":          checkNodeFailure,
	} {
		t.Run(name, func(t *testing.T) { check(t, k, k.namespace(t, name)) })
	}
}

func checkServerSideApply(t *testing.T, k *kube, namespace string) {
	path := "/apis/apps/v1/namespaces/" + namespace + "/deployments/web"
	require.NoError(t, k.apply(t, path, "alice", false, deployment("web", 1, "")))
	err := k.apply(t, path, "bob", false, deployment("web", 2, ""))
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.ErrorContains(t, err, `conflict with "alice": .spec.replicas`)
	require.NoError(t, k.apply(t, path, "bob", true, deployment("web", 2, "")))
	k.waitAvailable(t, namespace, "web", 2)
}

func checkRollout(t *testing.T, k *kube, namespace string) {
	path := "/apis/apps/v1/namespaces/" + namespace + "/deployments/web"
	require.NoError(t, k.apply(t, path, "alice", false, deployment("web", 3, "")))
	k.waitAvailable(t, namespace, "web", 3)
	require.NoError(t, k.apply(t, path, "alice", false, strings.Replace(deployment("web", 3, ""), "image: none", "image: other", 1)))
	k.waitAvailable(t, namespace, "web", 3)
	sets, err := k.AppsV1().ReplicaSets(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, sets.Items, 2)
}

func checkUnschedulable(t *testing.T, k *kube, namespace string) {
	k.create(t, "/api/v1/namespaces/"+namespace+"/pods", `
metadata: {name: big}
spec: {containers: [{name: c, image: none, resources: {requests: {cpu: "9"}}}]}`)
	eventually(t, "wait for the scheduler", func(ctx context.Context) error {
		for _, condition := range k.pod(t, namespace, "big").Status.Conditions {
			if condition.Reason == corev1.PodReasonUnschedulable && strings.Contains(condition.Message, "Insufficient cpu") {
				return nil
			}
		}
		return errors.New("not reported as unschedulable")
	})
}

func checkQuota(t *testing.T, k *kube, namespace string) {
	k.create(t, "/api/v1/namespaces/"+namespace+"/resourcequotas", `
metadata: {name: q}
spec: {hard: {pods: "1"}}`)
	k.create(t, "/apis/apps/v1/namespaces/"+namespace+"/deployments", deployment("web", 2, ""))
	eventually(t, "wait for the quota to refuse a pod", func(ctx context.Context) error {
		web, err := k.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
		require.NoError(t, err)
		for _, condition := range web.Status.Conditions {
			if condition.Type == appsv1.DeploymentReplicaFailure && strings.Contains(condition.Message, "exceeded quota: q") {
				return nil
			}
		}
		return errors.New("the deployment does not say so")
	})
}

func checkJobs(t *testing.T, k *kube, namespace string) {
	for name, mode := range map[string]string{"good": "", "bad": "job-fail", "endless": "hang"} {
		k.create(t, "/apis/batch/v1/namespaces/"+namespace+"/jobs", fmt.Sprintf(`
metadata: {name: %s}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {kwok.d-aros.dev/fail: %q}}
    spec: {restartPolicy: Never, containers: [{name: c, image: none}]}`, name, mode))
	}
	eventually(t, "wait for the jobs", func(ctx context.Context) error {
		for name, want := range map[string][3]int32{"good": {0, 1, 0}, "bad": {0, 0, 1}, "endless": {1, 0, 0}} {
			job, err := k.BatchV1().Jobs(namespace).Get(ctx, name, metav1.GetOptions{})
			require.NoError(t, err)
			if got := [3]int32{job.Status.Active, job.Status.Succeeded, job.Status.Failed}; got != want {
				return fmt.Errorf("job %s: active, succeeded, failed are %v", name, got)
			}
		}
		return nil
	})
	pods, err := k.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "job-name=bad"})
	require.NoError(t, err)
	require.Equal(t, int32(3), pods.Items[0].Status.ContainerStatuses[0].State.Terminated.ExitCode)
}

// checkVolumes: a claim that names no class is bound, and its volume goes with it.
func checkVolumes(t *testing.T, k *kube, namespace string) {
	claims := k.CoreV1().PersistentVolumeClaims(namespace)
	_, err := claims.Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	var volume string
	eventually(t, "wait for the claim to be bound", func(ctx context.Context) error {
		c, err := claims.Get(ctx, "data", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if c.Status.Phase != corev1.ClaimBound {
			return fmt.Errorf("claim is %s", c.Status.Phase)
		}
		volume = c.Spec.VolumeName
		return nil
	})
	require.NoError(t, claims.Delete(t.Context(), "data", metav1.DeleteOptions{}))
	eventually(t, "wait for the volume to go", func(ctx context.Context) error {
		if _, err := k.CoreV1().PersistentVolumes().Get(ctx, volume, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("volume %s: %v", volume, err)
		}
		return nil
	})
}

func checkStatefulSetAndDaemonSet(t *testing.T, k *kube, namespace string) {
	k.create(t, "/apis/apps/v1/namespaces/"+namespace+"/statefulsets", strings.NewReplacer("kind: Deployment", "kind: StatefulSet", "replicas: 2", "replicas: 2\n  serviceName: db").Replace(deployment("db", 2, "")))
	k.create(t, "/apis/apps/v1/namespaces/"+namespace+"/daemonsets", strings.NewReplacer("kind: Deployment", "kind: DaemonSet", "  replicas: 0\n", "").Replace(deployment("agent", 0, "")))
	eventually(t, "wait for both", func(ctx context.Context) error {
		db, err := k.AppsV1().StatefulSets(namespace).Get(ctx, "db", metav1.GetOptions{})
		require.NoError(t, err)
		agent, err := k.AppsV1().DaemonSets(namespace).Get(ctx, "agent", metav1.GetOptions{})
		require.NoError(t, err)
		if db.Status.ReadyReplicas != 2 || agent.Status.NumberReady != 4 {
			return fmt.Errorf("%d of 2 and %d of 4 are ready", db.Status.ReadyReplicas, agent.Status.NumberReady)
		}
		return nil
	})
}

func checkEviction(t *testing.T, k *kube, namespace string) {
	k.create(t, "/apis/apps/v1/namespaces/"+namespace+"/deployments", deployment("web", 2, ""))
	k.create(t, "/apis/policy/v1/namespaces/"+namespace+"/poddisruptionbudgets", `
metadata: {name: web}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}`)
	k.waitAvailable(t, namespace, "web", 2)
	eventually(t, "wait for the budget", func(ctx context.Context) error {
		budget, err := k.PolicyV1().PodDisruptionBudgets(namespace).Get(ctx, "web", metav1.GetOptions{})
		require.NoError(t, err)
		if budget.Status.CurrentHealthy != 2 {
			return fmt.Errorf("%d of 2 are healthy", budget.Status.CurrentHealthy)
		}
		return nil
	})
	pods, err := k.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pods.Items[0].Name, Namespace: namespace}}
	err = k.PolicyV1().Evictions(namespace).Evict(t.Context(), eviction)
	require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
	require.NoError(t, k.PolicyV1().PodDisruptionBudgets(namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}))
	require.NoError(t, k.PolicyV1().Evictions(namespace).Evict(t.Context(), eviction))
}

func checkCustomResource(t *testing.T, k *kube, namespace string) {
	k.create(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `
metadata: {name: gauges.test.d-aros.dev}
spec:
  group: test.d-aros.dev
  scope: Namespaced
  names: {plural: gauges, singular: gauge, kind: Gauge}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: "self.low <= self.high", message: "low is above high"}]
            properties: {low: {type: integer}, high: {type: integer}}`)
	path := "/apis/test.d-aros.dev/v1/namespaces/" + namespace + "/gauges/g"
	gauge := "apiVersion: test.d-aros.dev/v1\nkind: Gauge\nmetadata: {name: g}\nspec: {low: %d, high: %d}\n"
	eventually(t, "wait for the definition to be served", func(context.Context) error {
		return k.apply(t, path, "alice", false, fmt.Sprintf(gauge, 1, 2))
	})
	require.ErrorContains(t, k.apply(t, path, "bob", false, fmt.Sprintf(gauge, 0, 2)), `conflict with "alice": .spec.low`)
	require.ErrorContains(t, k.apply(t, path, "alice", false, fmt.Sprintf(gauge, 3, 2)), "low is above high")
}

func checkGarbageCollection(t *testing.T, k *kube, namespace string) {
	k.create(t, "/apis/apps/v1/namespaces/"+namespace+"/deployments", deployment("web", 2, ""))
	k.waitAvailable(t, namespace, "web", 2)
	require.NoError(t, k.AppsV1().Deployments(namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}))
	eventually(t, "wait for the pods to go", func(ctx context.Context) error {
		pods, err := k.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		if len(pods.Items) > 0 {
			return fmt.Errorf("%d pods left", len(pods.Items))
		}
		return nil
	})
}

func checkAccess(t *testing.T, k *kube, namespace string) {
	token, err := k.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	config := rest.AnonymousClientConfig(k.config)
	config.BearerToken = token.Status.Token
	account, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)

	self, err := account.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Equal(t, "system:serviceaccount:"+namespace+":default", self.Status.UserInfo.Username)
	_, err = account.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}

func checkNamespaceDeletion(t *testing.T, k *kube, namespace string) {
	k.create(t, "/apis/apps/v1/namespaces/"+namespace+"/deployments", deployment("web", 2, ""))
	k.waitAvailable(t, namespace, "web", 2)
	require.NoError(t, k.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}))
	eventually(t, "wait for the namespace to go", func(ctx context.Context) error {
		_, err := k.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there (%v)", err)
	})
}

func checkZones(t *testing.T, k *kube, namespace string) {
	k.create(t, "/apis/apps/v1/namespaces/"+namespace+"/deployments", strings.Replace(deployment("web", 3, ""), "containers:",
		`nodeSelector: {d-aros.dev/pool: general}
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: topology.kubernetes.io/zone
        whenUnsatisfiable: DoNotSchedule
        labelSelector: {matchLabels: {app: web}}
      containers:`, 1))
	k.waitAvailable(t, namespace, "web", 3)
	zones := map[string]bool{}
	for _, node := range k.nodesOfPods(t, namespace) {
		zones[node.Labels[corev1.LabelTopologyZone]] = true
	}
	require.Equal(t, map[string]bool{"zone-1": true, "zone-2": true, "zone-3": true}, zones)
}

func checkPools(t *testing.T, k *kube, namespace string) {
	k.create(t, "/apis/apps/v1/namespaces/"+namespace+"/deployments",
		strings.Replace(deployment("web", 3, ""), "containers:", "nodeSelector: {d-aros.dev/pool: batch}\n      containers:", 1))
	k.waitAvailable(t, namespace, "web", 3)
	for _, node := range k.nodesOfPods(t, namespace) {
		require.Equal(t, "batch", node.Labels[poolLabel])
	}
}

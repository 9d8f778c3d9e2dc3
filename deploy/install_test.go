package deploy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/test/clustertest"
)

// An installation is a copy of the reconciler's manifests under names of its own.
type installation struct {
	*clustertest.Cluster
	fleet   string
	home    string // the namespace of the reconciler
	role    string // of accounts
	config  *rest.Config
	dynamic dynamic.Interface
	mapper  meta.RESTMapper

	reconciler, tenant []rbacv1.PolicyRule
}

// install brings the rights and policies of the manifests into the cluster. Its config has the token of the reconciler.
func install(t testing.TB) *installation {
	t.Helper()
	in := &installation{Cluster: clustertest.Start(t)}
	in.fleet = in.Prefix(t)
	in.home, in.role = in.fleet+"-system", in.fleet+"-tenant"
	dc, err := dynamic.NewForConfig(in.Config)
	require.NoError(t, err)
	in.dynamic = dc
	groups, err := restmapper.GetAPIGroupResources(in.Clientset.Discovery())
	require.NoError(t, err)
	in.mapper = restmapper.NewDiscoveryRESTMapper(groups)
	for _, object := range build(t, "/deploy/reconciler") {
		in.create(t, object)
	}
	in.config = in.token(t)
	return in
}

// resource returns the resource of an object.
func (in *installation) resource(t testing.TB, u *unstructured.Unstructured) schema.GroupVersionResource {
	t.Helper()
	kind := u.GroupVersionKind()
	mapping, err := in.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	require.NoError(t, err)
	return mapping.Resource
}

// create makes one object of the manifests under another name. It leaves out what runs.
func (in *installation) create(t testing.TB, object runtime.Object) {
	t.Helper()
	text, err := yaml.Marshal(object)
	require.NoError(t, err)
	renamed := strings.NewReplacer("daros-system", in.home, "daros-nodes", in.fleet+"-nodes", "'fleet'", "'"+in.fleet+"'", "''fleet''", "''"+in.fleet+"''", "d-aros-reconciler", in.fleet+"-reconciler", "d-aros-tenant", in.role,
		"d-aros-writes", in.fleet+"-writes", "d-aros-labels", in.fleet+"-labels", "d-aros-pods", in.fleet+"-pods", "d-aros-reports", in.fleet+"-reports", "report-fleet-general", "report-"+in.fleet+"-general").Replace(string(text))
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(renamed), &u.Object))
	switch u.GetKind() {
	case "Deployment", "DaemonSet", "Service", "NetworkPolicy":
		return
	case "ClusterRole":
		var role rbacv1.ClusterRole
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &role))
		switch role.Name {
		case in.role:
			in.tenant = role.Rules
		case in.fleet + "-reconciler":
			in.reconciler = role.Rules
		}
	}
	client := in.dynamic.Resource(in.resource(t, u))
	_, err = client.Namespace(u.GetNamespace()).Create(t.Context(), u, metav1.CreateOptions{})
	require.NoError(t, err, "%s", renamed)
	if u.GetNamespace() != "" || u.GetKind() == "Namespace" {
		return
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		if err := client.Delete(ctx, u.GetName(), metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			require.NoError(t, err)
		}
	})
}

// token returns how to connect with the token of the reconciler.
func (in *installation) token(t testing.TB) *rest.Config {
	t.Helper()
	answer, err := in.Clientset.CoreV1().ServiceAccounts(in.home).CreateToken(t.Context(), "reconciler", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	config := rest.AnonymousClientConfig(in.Config)
	config.QPS, config.BearerToken = -1, answer.Status.Token
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the API server learns of rules by a watch
		review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "nodes"},
			},
		}, metav1.CreateOptions{})
		return err == nil && review.Status.Allowed
	}, patience, 20*time.Millisecond)
	require.Eventually(t, func() bool { // and of policies
		_, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: in.fleet + "-other"}},
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "only namespaces of its fleet")
	}, patience, 20*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := in.Clientset.CoreV1().ConfigMaps(in.home).Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "probe", Labels: map[string]string{render.LabelFleet: in.fleet}},
		}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "set by D-AROS alone")
	}, patience, 20*time.Millisecond)
	return config
}

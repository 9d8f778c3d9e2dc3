package deploy

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// TestUpgradeToAccounts carries out what a reconciler without accounts left: the accounts come, and nothing else is sent.
func TestUpgradeToAccounts(t *testing.T) {
	in := install(t)
	before, err := adapter.New(in.Config, adapter.Options{Fleet: in.fleet, Patience: patience})
	require.NoError(t, err)
	wanted := in.sets(t)
	// This one would be refused: a reconciler without accounts works where there are no policies yet.
	bindings := in.Clientset.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	labels, err := bindings.Get(t.Context(), in.fleet+"-labels", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, bindings.Delete(t.Context(), labels.Name, metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		report := before.Apply(t.Context(), wanted)
		return report.Err == nil && report.Sets[0].OK() && report.Sets[1].OK()
	}, patience, patience/1000)
	before.Close()
	labels.ResourceVersion = ""
	_, err = bindings.Create(t.Context(), labels, metav1.CreateOptions{})
	require.NoError(t, err)

	after, err := adapter.New(in.config, adapter.Options{Fleet: in.fleet, Patience: patience, TenantRole: in.role})
	require.NoError(t, err)
	defer after.Close()
	_, err = after.Inspect(t.Context(), &model.Platform{})
	require.NoError(t, err)
	report := after.Apply(t.Context(), wanted)
	require.NoError(t, report.Err)
	created := 0
	for _, s := range report.Sets {
		for _, r := range s.Results {
			if r.Kind == "ServiceAccount" && r.Name == "d-aros" || r.Kind == "RoleBinding" && s.App.Name == "" {
				require.Equal(t, apply.Created, r.Action, "%s: %s", r.Ref, r.Message)
				created++
				continue
			}
			require.Equal(t, apply.Unchanged, r.Action, "%s: %s", r.Ref, r.Message)
		}
	}
	require.Equal(t, 3, created, "account, its binding, the binding of readers")
}

// TestNotPermittedYet starts a reconciler that has the flag and lacks the right.
func TestNotPermittedYet(t *testing.T) {
	in := install(t)
	role, err := in.Clientset.RbacV1().ClusterRoles().Get(t.Context(), in.fleet+"-reconciler", metav1.GetOptions{})
	require.NoError(t, err)
	whole := role.DeepCopy().Rules
	role.Rules = nil
	for _, r := range whole {
		if r.Verbs[0] != "bind" {
			role.Rules = append(role.Rules, r)
		}
	}
	update := func(rules []rbacv1.PolicyRule) {
		role.Rules = rules
		role, err = in.Clientset.RbacV1().ClusterRoles().Update(t.Context(), role, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	update(role.Rules)
	carrier, err := adapter.New(in.config, adapter.Options{Fleet: in.fleet, Patience: patience, TenantRole: in.role})
	require.NoError(t, err)
	defer carrier.Close()
	inspect := func() error {
		_, err := carrier.Inspect(t.Context(), &model.Platform{})
		return err
	}
	require.Eventually(t, func() bool { // the API server learns of it by a watch
		one, err := adapter.New(in.config, adapter.Options{Fleet: in.fleet, Patience: patience, TenantRole: in.role})
		require.NoError(t, err)
		defer one.Close()
		_, err = one.Inspect(t.Context(), &model.Platform{})
		return err != nil
	}, patience, patience/1000)
	require.ErrorContains(t, inspect(), "may not bind the clusterroles "+in.role+": apply deploy/reconciler/rights.yaml of this version, or run without --tenant-role")
	update(whole)
	require.Eventually(t, func() bool { return inspect() == nil }, patience, patience/1000)
}

package kubernetes_test

import (
	"bufio"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// allow lets a group read some resources in the namespace.
func (v *lived) allow(group string, resources []string) {
	v.t.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: group}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: resources, Verbs: []string{"get", "list", "watch"}}}}
	_, err := v.Clientset.RbacV1().Roles(v.fleet).Create(v.t.Context(), role, metav1.CreateOptions{})
	require.NoError(v.t, err)
	_, err = v.Clientset.RbacV1().RoleBindings(v.fleet).Create(v.t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: group}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: group},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: group}},
	}, metav1.CreateOptions{})
	require.NoError(v.t, err)
}

// TestLiveLogs: a container of the application has a log that goes on; pods of others have none here.
func TestLiveLogs(t *testing.T) {
	v := live(t)
	asked := make(chan string, 1)
	v.ServeLogs(t, v.nodes, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.String()
		_, _ = w.Write([]byte("2026-03-01T12:00:00Z first\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	f := v.follow(v.Config, kubernetes.LiveOptions{}, runtime.Person{})
	seen := v.until(f, "a pod runs", func(l runtime.Live) bool { return len(ofKind(l, "Pod")) == 2 && ready(ofKind(l, "Pod")[0]) })
	pod := ofKind(seen, "Pod")[0]
	log, err := f.Logs(t.Context(), runtime.LogQuery{Pod: pod.Name, Container: pod.Containers[0].Name, Lines: 500})
	require.NoError(t, err)
	url := <-asked
	require.Contains(t, url, "/containerLogs/"+v.fleet+"/"+pod.Name+"/")
	require.Contains(t, url, "tailLines=500")
	require.Contains(t, url, "follow=true")
	line, err := bufio.NewReader(log).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "2026-03-01T12:00:00Z first\n", line)
	require.NoError(t, log.Close())

	for _, q := range []runtime.LogQuery{{Pod: "coredns", Container: "c"}, {Pod: pod.Name, Container: "../c"}, {Pod: pod.Name}} {
		_, err = f.Logs(t.Context(), q)
		gone := (*runtime.NotLiveError)(nil)
		require.ErrorAs(t, err, &gone, "%+v", q)
	}
}

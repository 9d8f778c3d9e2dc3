//go:build linux

package nodeagent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

const podUID = "0f8a3c1e-5b7d-4e2a-9c61-3d2b1a0f9e8d"

// kubelet makes the group of a container and the link to its log, as a kubelet does.
func (n *node) kubelet(namespace, pod, uid, container, id string) (dir string) {
	n.t.Helper()
	id = strings.Repeat(id, 64)
	target := fmt.Sprintf("/var/log/pods/%s_%s_%s/%s/0.log", namespace, pod, uid, container)
	require.NoError(n.t, os.Symlink(target, filepath.Join(n.cfg.Kubelet.Links, fmt.Sprintf("%s_%s_%s-%s.log", pod, namespace, container, id))))
	return cgrouptest.Group(n.t, cgrouptest.Root+"/cpu", n.cfg.Kubelet.Group+"/burstable/pod"+uid+"/"+id)
}

func newKubernetesNode(t *testing.T) *node {
	n := newNode(t)
	n.cfg.Kubelet = qos.Kubelet{Links: t.TempDir(), Group: cgrouptest.Name(t) + "/kubepods"}
	return n
}

const podPlan = "apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n" +
	"- {name: acme/shop/db, profile: burstable, cpu: {request: 100m, limit: %s}, pods: {namespace: acme, kind: StatefulSet, names: [shop-db], container: db}}\n"

// A plan names pods as Git does, and the agent finds their groups, also those of pods that
// come later. A pod that looks the same in another namespace is left alone.
func TestAgentFindsPods(t *testing.T) {
	n := newKubernetesNode(t)
	db := n.kubelet("acme", "shop-db-0", podUID, "db", "1")
	forged := n.kubelet("evil", "shop-db-0", strings.Replace(podUID, "0", "1", 1), "db", "2")
	n.write(fmt.Sprintf(podPlan, "200m"))
	n.start()
	quota := func(dir, want string) {
		n.eventually(dir+" has quota "+want, func() bool { return cgrouptest.Read(t, dir, "cpu.cfs_quota_us") == want })
	}
	quota(db, "20000")
	second := n.kubelet("acme", "shop-db-1", strings.Replace(podUID, "0", "2", 1), "db", "3")
	quota(second, "20000")
	require.Equal(t, "-1", cgrouptest.Read(t, forged, "cpu.cfs_quota_us"))

	n.write("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads: []\n")
	quota(db, "-1")
	quota(second, "-1")
}

// What a plan names and the node has not is listed since it is so, and what belongs to two
// workloads is refused.
func TestUnplacedIsReported(t *testing.T) {
	n := newKubernetesNode(t)
	n.kubelet("acme", "shop-db-0", podUID, "db", "1")
	n.write(fmt.Sprintf(podPlan, "200m") + "- {name: system/none.service, profile: burstable, unit: no-such-unit.service}\n")
	report, err := Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.Len(t, report.Unplaced, 1)
	require.Equal(t, "no group of unit no-such-unit.service", report.Unplaced[0].Reason)
	require.False(t, report.Unplaced[0].Since.IsZero())
	require.True(t, report.Holds(), "that something is not here yet breaks nothing")

	n.write(fmt.Sprintf(podPlan, "200m") + strings.Replace(strings.SplitAfterN(fmt.Sprintf(podPlan, "300m"), "\n", 4)[3], "acme/shop/db", "copy", 1))
	report, err = Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.Len(t, report.Unplaced, 2)
	require.True(t, report.Unplaced[0].Refused)
	require.Contains(t, report.Unplaced[0].Reason, "is also what copy@shop-db-0 selects")
	require.False(t, report.Holds())
}

// The directory of the links can be lost, and this is no news about pods.
func TestSettingsStayWithoutLinks(t *testing.T) {
	n := newKubernetesNode(t)
	db := n.kubelet("acme", "shop-db-0", podUID, "db", "1")
	n.write(fmt.Sprintf(podPlan, "200m"))
	_, err := Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(n.cfg.Kubelet.Links))
	_, err = Once(t.Context(), n.cfg, false)
	require.ErrorContains(t, err, "find the containers of pods")
	require.Equal(t, "20000", cgrouptest.Read(t, db, "cpu.cfs_quota_us"))
}

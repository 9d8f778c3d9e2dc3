package qos_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
)

const newcomerUID = "0f8a3c1e-5b7d-4e2a-9c61-3d2b1a0f9e8d"

func TestGroupOfAContainer(t *testing.T) {
	id, slice := strings.Repeat("1", 64), "pod"+strings.ReplaceAll(newcomerUID, "-", "_")+".slice"
	for _, c := range []struct{ root, told, want string }{
		{"", "kubepods-burstable-" + slice + ":cri-containerd:" + id, "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-" + slice + "/cri-containerd-" + id + ".scope"},
		{"", "kubepods-" + slice + ":crio:" + id, "kubepods.slice/kubepods-" + slice + "/crio-" + id + ".scope"},
		{"", "/kubepods/besteffort/pod" + newcomerUID + "/" + id, "kubepods/besteffort/pod" + newcomerUID + "/" + id},
		{"", "/kubepods/pod" + newcomerUID + "/" + id, "kubepods/pod" + newcomerUID + "/" + id},
		{"node/kubepods", "/node/kubepods/pod" + newcomerUID + "/" + id, "node/kubepods/pod" + newcomerUID + "/" + id},
		{"node/kubepods", "/kubepods/pod" + newcomerUID + "/" + id, ""},
		{"", "/kubepods/pod" + strings.Replace(newcomerUID, "0", "1", 1) + "/" + id, ""}, // of another pod
		{"", "/kubepods/pod" + newcomerUID, ""}, // the pod itself
		{"", "/kubepods/pod" + newcomerUID + "/../" + id, ""},
		{"", "/kubepods/pod" + newcomerUID + "/" + id + "/inner", ""},
		{"", "system.slice:cri-containerd:" + id, ""},
		{"", "::", ""}, {"", "", ""}, {"", "/", ""},
	} {
		group, ok := qos.Kubelet{Group: c.root}.GroupOf(newcomerUID, c.told)
		require.Equal(t, c.want != "", ok, c.told)
		if ok {
			require.Equal(t, c.want, group)
		}
	}
}

// A container that comes gets what the turn will decide once it is there.
func TestNewcomerIsDecidedAsByATurn(t *testing.T) {
	plan, err := qos.Parse([]byte("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n" +
		"- {name: db, profile: guaranteed, cpu: {request: 500m, limit: 1}, memory: {request: 64Mi, limit: 128Mi}, reserved: {cpu: 500m, memory: 64Mi}, pods: {namespace: acme, kind: StatefulSet, names: [shop-db], container: db}}\n" +
		"- {name: held, hold: true, profile: burstable, cpu: {request: 100m, limit: 200m}, pods: {namespace: acme, kind: StatefulSet, names: [held], container: db}}\n"))
	require.NoError(t, err)
	member := func(pod, id string) qos.Member {
		return qos.Member{Namespace: "acme", Pod: pod, UID: newcomerUID, Name: "db", Cgroup: "kubepods/burstable/pod" + newcomerUID + "/" + id}
	}
	before, now := member("shop-db-0", "old"), member("shop-db-0", "new")
	host := qos.Host{CPU: 4000, Memory: 8 << 30, Page: 4096, Controllers: map[string]qos.Version{"cpu": qos.V2, "memory": qos.V2}}
	known := qos.Known{Plan: plan, Found: qos.Found{"pods": {before}}, Host: host}
	got := known.Newcomer(now)

	placed, _ := qos.Place(plan, qos.Found{"pods": {now}})
	var want []qos.Setting
	for _, s := range qos.Resolve(placed, host).Settings {
		if s.Cgroup == now.Cgroup {
			want = append(want, s)
		}
	}
	require.NotEmpty(t, want)
	require.Equal(t, want, got)
	require.Equal(t, []qos.Member{before}, known.Found["pods"], "what is known stays as it is")

	require.Empty(t, known.Newcomer(member("other-0", "new")))
	require.Empty(t, known.Newcomer(member("held-0", "new")), "what the plan leaves to others")
	require.Empty(t, qos.Known{}.Newcomer(now))
}

// Whatever a runtime was told, the group is within that of the pod.
func FuzzGroupOf(f *testing.F) {
	f.Add(newcomerUID, "kubepods-burstable-pod"+strings.ReplaceAll(newcomerUID, "-", "_")+".slice:cri-containerd:1")
	f.Add(newcomerUID, "/kubepods/pod"+newcomerUID+"/1")
	f.Fuzz(func(t *testing.T, uid, told string) {
		group, ok := qos.Kubelet{}.GroupOf(uid, told)
		if !ok {
			return
		}
		dirs := strings.Split(group, "/")
		require.True(t, dirs[0] == "kubepods" || dirs[0] == "kubepods.slice", group)
		require.NotContains(t, dirs, "..")
		require.Contains(t, strings.ReplaceAll(dirs[len(dirs)-2], "_", "-"), "pod"+strings.ReplaceAll(uid, "_", "-"))
	})
}

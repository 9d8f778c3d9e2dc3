package qos

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSelectsPodsByTheirControllers(t *testing.T) {
	long := strings.Repeat("a", 52)
	for _, c := range []struct {
		kind, name, pod string
		want            bool
	}{
		{"Deployment", "shop-web", "shop-web-5d78c9869d-x7x2b", true},
		{"Deployment", "shop-web", "shop-web-api-5d78c9869d-x7x2b", false}, // of shop-web-api
		{"Deployment", "shop-web", "shop-web-x7x2b", false},                // no ReplicaSet
		{"Deployment", "shop-web", "shop-web-5d78c9869d-hello", false},     // somebody chose the letters
		{"Deployment", long, long + "-5d78c" + "x7x2b", true},              // cut, so that it has 63 letters
		{"Deployment", long, long + "-5d78c" + "x7x2", false},
		{"StatefulSet", "shop-db", "shop-db-0", true},
		{"StatefulSet", "shop-db", "shop-db-0-0", false},
		{"StatefulSet", "shop-db", "shop-db-x7x2b", false},
		{"DaemonSet", "shop-log", "shop-log-x7x2b", true},
		{"DaemonSet", "shop-log", "shop-log-5d78c9869d-x7x2b", false},
		{"Job", "shop-once", "shop-once-0a1b2c3d-x7x2b", true},
		{"Job", "shop-once", "shop-once-0a1b2c3d-3-x7x2b", true},
		{"CronJob", "shop-nightly", "shop-nightly-29384756-x7x2b", true},
		{"CronJob", "shop-nightly", "shop-nightly-x7x2b", false},
	} {
		p := Pods{Namespace: "acme", Kind: c.kind, Names: []string{c.name}, Container: "main"}
		require.NoError(t, p.Check())
		require.Equal(t, c.want, p.Selects(Member{Namespace: "acme", Pod: c.pod, Name: "main"}), "%s %s: %s", c.kind, c.name, c.pod)
		require.False(t, p.Selects(Member{Namespace: "evil", Pod: c.pod, Name: "main"}))
		require.False(t, p.Selects(Member{Namespace: "acme", Pod: c.pod, Name: "sidecar"}))
	}
}

func TestParseRefusesSelectors(t *testing.T) {
	for fields, want := range map[string]string{
		"profile: burstable":                                        "names no cgroup, unit or pods",
		"cgroup: a, unit: a.service":                                "names more than one of cgroup, unit and pods",
		"unit: init.scope":                                          "belongs to the host's init",
		"unit: -.slice":                                             "want the name of a service, slice or scope",
		"unit: ../sshd.service":                                     "want the name of a service, slice or scope",
		"unit: a/b.service":                                         "want the name of a service, slice or scope",
		"pods: {namespace: ../acme}":                                "cannot name a namespace",
		"pods: {namespace: acme, kind: Node}":                       "makes no pods",
		"pods: {namespace: acme, kind: DaemonSet}":                  "0 names of controllers",
		"pods: {namespace: acme, labels: {a: b}}":                   "field labels not found in pods",
		"pods: {namespace: a, kind: Job, names: [A], container: b}": "cannot name a controller",
		"pods: {namespace: a, kind: Job, names: [b], container: B}": "cannot name a container",
	} {
		_, err := Parse([]byte(head + "workloads:\n- {name: x, profile: burstable, " + strings.TrimPrefix(fields, "profile: burstable") + "}\n"))
		require.ErrorContains(t, err, want, fields)
	}
}

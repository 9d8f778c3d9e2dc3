package kubernetes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/d-aros/d-aros/test/texttest"
)

func object(t *testing.T, kind, status string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal([]byte(status), &u.Object))
	u.SetKind(kind)
	return u
}

// TestPodsSayWhyAndWhat: a pod that has not failed says why it is not ready, and which
// images run in it, with the digests that the node pulled.
func TestPodsSayWhyAndWhat(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	container := func(state string) string {
		return `{"name":"web","image":"ghcr.io/acme/shop:1.4.2","imageID":"ghcr.io/acme/shop@` + digest + `",` + state + `}`
	}
	for _, c := range []struct{ name, phase, container, why, image string }{
		{"ready", "Running", container(`"ready":true,"state":{"running":{}}`), "", "ghcr.io/acme/shop:1.4.2@" + digest},
		{"probe", "Running", container(`"ready":false,"started":true,"state":{"running":{}}`), "readiness probe fails", "ghcr.io/acme/shop:1.4.2@" + digest},
		{"startup", "Running", container(`"ready":false,"started":false,"state":{"running":{}}`), "startup probe fails", "ghcr.io/acme/shop:1.4.2@" + digest},
		{"creating", "Pending", container(`"ready":false,"state":{"waiting":{"reason":"ContainerCreating"}}`), "container web is being made", ""},
		{"named by digest", "Running", `{"name":"web","image":"r/i@` + digest + `","imageID":"r/i@` + digest + `","ready":true,"state":{"running":{}}}`, "", "r/i@" + digest},
		{"without digest", "Running", `{"name":"web","image":"web:1","ready":true,"state":{"running":{}}}`, "", "web:1"},
		{"ended", "Succeeded", container(`"ready":false,"state":{"terminated":{}}`), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := object(t, "Pod", `{"apiVersion":"v1","status":{"phase":"`+c.phase+`","containerStatuses":[`+c.container+`]}}`)
			s := pod(u)
			require.Equal(t, c.why, s.why)
			require.Equal(t, c.image, s.images)
			require.Empty(t, s.failure)
		})
	}
	gate := object(t, "Pod", `{"apiVersion":"v1","spec":{"readinessGates":[{"conditionType":"lb"}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False"}],"containerStatuses":[`+
		container(`"ready":true,"state":{"running":{}}`)+`]}}`)
	require.Equal(t, "readiness gate is not met", pod(gate).why)
	extra := func(name string) string {
		return `{"name":"` + name + `","image":"` + name + `:1","state":{"running":{}}}`
	}
	beside := object(t, "Pod", `{"apiVersion":"v1","spec":{"initContainers":[{"name":"proxy","restartPolicy":"Always"},{"name":"fill"}]},"status":{"phase":"Running","initContainerStatuses":[`+
		extra("proxy")+`,`+extra("fill")+`],"containerStatuses":[`+extra("web")+`]}}`)
	require.Equal(t, "web:1\nproxy:1", pod(beside).images, "a sidecar runs on, and fill ends before web starts")
	for _, s := range texttest.Corpus() {
		u := object(t, "Pod", `{"apiVersion":"v1","status":{"phase":"Running"}}`)
		require.NoError(t, unstructured.SetNestedSlice(u.Object, []any{map[string]any{
			"name": strings.ToValidUTF8(s, ""), "image": strings.ToValidUTF8(s, ""), "ready": false, "state": map[string]any{"running": map[string]any{}},
		}}, "status", "containerStatuses"))
		for _, image := range images(u) {
			texttest.Line(t, image, maxImage)
		}
		texttest.Line(t, pod(u).why, maxSentence)
	}
}

// TestPodsRepeatNoValue: what nodes and controllers say of a pod names what is missing,
// and no value that stands in it.
func TestPodsRepeatNoValue(t *testing.T) {
	for _, c := range []struct{ waiting, said, reason, message string }{
		{"CreateContainerConfigError", `secret "db" not found`, SecretMissing, "container web needs Secret db, which the namespace does not have"},
		{"CreateContainerConfigError", "couldn't find key pw in Secret acme/db", SecretMissing, "container web needs key pw of Secret db, which the object does not have"},
		{"CreateContainerConfigError", `configmap "settings" not found`, ConfigInvalid, "container web needs ConfigMap settings, which the namespace does not have"},
		{"RunContainerError", `exec: "hunter2": executable file not found in $PATH`, ConfigInvalid, "container web: exec: …: executable file not found in $PATH"},
	} {
		u := object(t, "Pod", `{"apiVersion":"v1","status":{"phase":"Pending"}}`)
		require.NoError(t, unstructured.SetNestedSlice(u.Object, []any{map[string]any{"name": "web", "ready": false,
			"state": map[string]any{"waiting": map[string]any{"reason": c.waiting, "message": c.said}}}}, "status", "containerStatuses"))
		f := podFailure(u)
		require.Equal(t, c.reason, f.Reason)
		require.Equal(t, c.message, f.Message)
	}
	set := object(t, "ReplicaSet", `{"apiVersion":"apps/v1","status":{"conditions":[{"type":"ReplicaFailure","status":"True","message":"pods \"web-x\" is forbidden: PASSWORD=hunter2 is weak"}]}}`)
	require.Equal(t, "pods: is forbidden: PASSWORD=… is weak", conditionFailure(set).Message)
}

// TestRolling: while a controller replaces pods of an older spec, fewer that are ready
// are no fault of theirs.
func TestRolling(t *testing.T) {
	for _, c := range []struct {
		kind, status string
		rolling      bool
	}{
		{"Deployment", `"observedGeneration":2,"replicas":5,"updatedReplicas":2,"readyReplicas":3`, true},
		{"Deployment", `"observedGeneration":1,"replicas":4,"updatedReplicas":4,"readyReplicas":4`, true},
		{"Deployment", `"observedGeneration":2,"replicas":4,"updatedReplicas":4,"readyReplicas":1`, false},
		{"Deployment", `"observedGeneration":2,"replicas":2,"updatedReplicas":2,"readyReplicas":2`, false}, // pods are gone, or refused
		{"StatefulSet", `"observedGeneration":2,"replicas":4,"updatedReplicas":1,"readyReplicas":3`, true},
		{"DaemonSet", `"observedGeneration":2,"currentNumberScheduled":3,"updatedNumberScheduled":1,"desiredNumberScheduled":3,"numberReady":2`, true},
		{"DaemonSet", `"observedGeneration":2,"currentNumberScheduled":3,"updatedNumberScheduled":3,"desiredNumberScheduled":3,"numberReady":2`, false},
	} {
		u := object(t, c.kind, `{"apiVersion":"apps/v1","metadata":{"generation":2},"spec":{"replicas":4},"status":{`+c.status+`}}`)
		require.Equal(t, c.rolling, judge(u).rolling, "%s %s", c.kind, c.status)
	}
}

// TestEqualSummariesAreKeptOnce: what is kept of the health of an object is one value for all in the same state.
func TestEqualSummariesAreKeptOnce(t *testing.T) {
	made := func(name, phase string) any {
		return summarize(object(t, "Pod", `{"apiVersion":"v1","metadata":{"name":"`+name+`"},"status":{"phase":"`+phase+`","containerStatuses":[
			{"name":"web","image":"web:1","ready":true,"state":{"running":{}}}]}}`))
	}
	require.True(t, made("a", "Running") == made("b", "Running"), "they are the same summary")
	require.False(t, made("a", "Running") == made("a", "Succeeded"))
}

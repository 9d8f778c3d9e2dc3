package kubernetes

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// liveState says how an object is, why, and how much of it is ready.
func liveState(u *unstructured.Unstructured) (state runtime.LiveState, why string, ready *runtime.LiveReadiness) {
	s := judge(u)
	gk := u.GroupVersionKind().GroupKind().String()
	if gk == "ReplicaSet.apps" {
		s.scales, s.replicas, s.ready = true, integer(u.Object, 1, "spec", "replicas"), integer(u.Object, 0, "status", "readyReplicas")
		s.current = s.ready >= s.replicas
	}
	if s.scales {
		ready = &runtime.LiveReadiness{Ready: s.ready, Wanted: s.replicas}
	}
	switch {
	case u.GetDeletionTimestamp() != nil:
		return runtime.LiveLeaving, "it is being deleted", ready
	case s.failure.Reason != "":
		return runtime.LiveFailed, text.Line(s.failure.Reason+": "+s.failure.Message, maxSentence), ready
	case s.done:
		return runtime.LiveDone, "", ready
	case gk == "Pod":
		if isTrue(u, "Ready") {
			return runtime.LiveReady, "", nil
		}
		return runtime.LiveMoving, cmp.Or(s.why, text.Line(str(u.Object, "status", "phase"), maxReason)), nil
	case gk == "PersistentVolumeClaim" && str(u.Object, "status", "phase") == "Pending":
		return runtime.LiveMoving, "it has no volume yet", nil
	case s.scales && s.replicas == 0:
		return runtime.LiveIdle, "nothing of it is to run", ready
	case s.current && !s.rolling && s.ready >= s.replicas:
		return runtime.LiveReady, "", ready
	}
	if s.why == "" {
		if r, err := status.Compute(u); err == nil && r.Status != status.CurrentStatus {
			s.why = text.Line(r.Message, maxSentence)
		}
	}
	return runtime.LiveMoving, s.why, ready
}

// containersOf lists the containers of a pod, with what is known of each.
func containersOf(u *unstructured.Unstructured) (list []runtime.LiveContainer) {
	if apply.RefOf(u).Kind != "Pod" {
		return nil
	}
	told := map[string]map[string]any{}
	for _, c := range statuses(u) {
		told[str(c, "name")] = c
	}
	all := slices.Concat(items(u.Object, "spec", "containers"), items(u.Object, "spec", "initContainers"))
	for _, c := range all[:min(len(all), mostConditions)] {
		is := told[str(c, "name")]
		list = append(list, runtime.LiveContainer{
			Name: text.Line(str(c, "name"), maxReason), Image: text.Line(str(c, "image"), maxImage),
			State: containerState(is), Restarts: integer(is, 0, "restartCount"),
		})
	}
	return list
}

// containerState returns "running", or why a container does not run.
func containerState(is map[string]any) string {
	state, _ := is["state"].(map[string]any)
	switch {
	case state["running"] != nil:
		return "running"
	case state["terminated"] != nil:
		return cmp.Or(text.Line(str(is, "state", "terminated", "reason"), maxReason), "ended")
	}
	return cmp.Or(text.Line(str(is, "state", "waiting", "reason"), maxReason), "waiting")
}

// timeOf reads a time of the API, zero if there is none.
func timeOf(s string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, s)
	return t.UTC()
}

package kubernetes

import (
	"slices"
	"unique"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/text"
)

// summary is the health of an object. Equal ones are kept once: those of most objects of a fleet that runs are equal.
type summary struct {
	current         bool // it has the state that its spec asks for
	done            bool // a job or pod that succeeded
	scales          bool // it has replicas
	replicas, ready int
	revision        string // of a pod, or that pods should have
	failure         model.Failure
	restarts        int    // of containers, and of pods in place of others
	rolling         bool   // replicas of an older spec are being replaced
	why             string // it is not ready, where that is no failure
	images          string // that run in a pod, a line each
	live            string // what is reported of it, where a definition judges it
	outdated        bool   // a machine that runs as it was declared before, until it starts again

	beside   bool   // of the newer of two versions
	intent   string // of the step of a workflow whose job it is
	lock     string // that the step held
	message  string // that a pod of such a job left
	finished string // when that was
}

func seen(o *apply.Object) summary {
	if s, ok := o.Summary.(unique.Handle[summary]); ok {
		return s.Value()
	}
	return summary{}
}

// summarize judges one object by itself.
func summarize(u *unstructured.Unstructured) any {
	s := judge(u)
	s.live = reported(u, s.current)
	s.beside = str(u.Object, "metadata", "labels", render.LabelTrack) == render.TrackNext
	s.intent = str(u.Object, "metadata", "annotations", render.AnnotationIntent)
	switch {
	case s.intent == "":
	case u.GetKind() == "Pod":
		s.message, s.finished = left(u)
	default:
		s.lock = lock(u)
	}
	return unique.Make(s)
}

// lock returns the lock that the step of a job held.
func lock(u *unstructured.Unstructured) string {
	name, said, _ := unstructured.NestedString(u.Object, "metadata", "annotations", render.AnnotationLock)
	if !said {
		return model.AnyLock // of a program before the annotation
	}
	return name
}

func judge(u *unstructured.Unstructured) summary {
	gk := u.GroupVersionKind().GroupKind()
	switch gk.Group + "/" + gk.Kind {
	case "/Pod":
		return pod(u)
	case "apps/ReplicaSet":
		return summary{failure: conditionFailure(u)}
	case "batch/Job":
		return job(u)
	case "/PersistentVolumeClaim":
		// A claim may wait for its first pod; if the pod does not get it, the pod fails.
		return summary{current: str(u.Object, "status", "phase") != "Lost"}
	case "external-secrets.io/ExternalSecret":
		return externalSecret(u)
	case "kubevirt.io/VirtualMachine":
		return machine(u)
	case "kubevirt.io/VirtualMachineInstance":
		return machineInstance(u)
	}
	s := summary{current: current(u), failure: conditionFailure(u)}
	switch gk.Group + "/" + gk.Kind {
	case "apps/Deployment", "apps/StatefulSet":
		s.scales = true
		s.replicas, s.ready = integer(u.Object, 1, "spec", "replicas"), integer(u.Object, 0, "status", "readyReplicas")
		s.revision = str(u.Object, "status", "updateRevision")
		s.current = s.current && observed(u)
		s.rolling = rolling(u, "replicas", "updatedReplicas")
	case "apps/DaemonSet":
		s.scales = true
		s.replicas, s.ready = integer(u.Object, 0, "status", "desiredNumberScheduled"), integer(u.Object, 0, "status", "numberReady")
		s.current = s.current && observed(u)
		s.rolling = rolling(u, "currentNumberScheduled", "updatedNumberScheduled")
	}
	return s
}

// rolling reports whether pods of an older spec run, beside or before newer ones.
func rolling(u *unstructured.Unstructured, all, updated string) bool {
	return !observed(u) || integer(u.Object, 0, "status", updated) < integer(u.Object, 0, "status", all)
}

// current reports whether kstatus finds the object current.
func current(u *unstructured.Unstructured) bool {
	r, err := status.Compute(u)
	return err == nil && r.Status == status.CurrentStatus
}

// observed reports whether the controller has seen the present spec.
func observed(u *unstructured.Unstructured) bool {
	return int64(integer(u.Object, -1, "status", "observedGeneration")) == u.GetGeneration()
}

// job judges a job without kstatus, which finds every started job current, and a
// suspended one never.
func job(u *unstructured.Unstructured) summary {
	s := summary{scales: true, replicas: integer(u.Object, 1, "spec", "parallelism"), ready: integer(u.Object, 0, "status", "ready")}
	s.restarts = integer(u.Object, 0, "status", "failed")
	suspended, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend")
	s.current = suspended || str(u.Object, "status", "startTime") != ""
	if suspended {
		s.replicas = 0
	}
	if isTrue(u, "Complete") {
		s.done, s.current = true, true
	}
	if c := conditionOf(u, "Failed"); c.status == "True" {
		s.current = false
		s.failure = model.Failure{Class: model.ClassApplication, Reason: JobFailed, Message: text.Line(c.message, maxSentence), Final: true}
	}
	return s
}

// condition is one entry of status.conditions.
type condition struct{ kind, status, reason, message string }

func conditions(u *unstructured.Unstructured) []condition {
	var all []condition
	for _, m := range items(u.Object, "status", "conditions") {
		all = append(all, condition{str(m, "type"), str(m, "status"), str(m, "reason"), str(m, "message")})
	}
	return all
}

// conditionOf returns the condition of a kind, zero if there is none.
func conditionOf(u *unstructured.Unstructured, kind string) condition {
	all := conditions(u)
	if i := slices.IndexFunc(all, func(c condition) bool { return c.kind == kind }); i >= 0 {
		return all[i]
	}
	return condition{}
}

// isTrue reports whether a condition of an object is true.
func isTrue(u *unstructured.Unstructured, kind string) bool {
	return conditionOf(u, kind).status == "True"
}

// statuses lists what is told of the containers of a pod.
func statuses(u *unstructured.Unstructured) []map[string]any {
	return slices.Concat(items(u.Object, "status", "initContainerStatuses"), items(u.Object, "status", "containerStatuses"))
}

// items returns the list of maps at a path, nil if there is none.
func items(m map[string]any, path ...string) []map[string]any {
	v, _, _ := unstructured.NestedFieldNoCopy(m, path...)
	list, _ := v.([]any)
	all := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

func str(m map[string]any, path ...string) string {
	v, _, _ := unstructured.NestedFieldNoCopy(m, path...)
	s, _ := v.(string)
	return s
}

func integer(m map[string]any, otherwise int, path ...string) int {
	v, _, _ := unstructured.NestedFieldNoCopy(m, path...)
	if n, ok := v.(int64); ok {
		return int(n)
	}
	return otherwise
}

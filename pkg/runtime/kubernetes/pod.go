package kubernetes

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/text"
)

// maxMessage bounds what a job may leave, in bytes. It is what Kubernetes takes
// from one container.
const maxMessage = 4 << 10

// Bounds of a failure and of an event, in bytes.
const (
	maxSentence = 400
	maxReason   = 128 // what the API server takes
)

// pod judges a pod.
func pod(u *unstructured.Unstructured) summary {
	s := summary{failure: podFailure(u), revision: stringAt(u, "metadata", "labels", "controller-revision-hash")}
	s.done = stringAt(u, "status", "phase") == "Succeeded"
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, c := range items(u.Object, "status", field) {
			s.restarts += integer(c, 0, "restartCount")
		}
	}
	if stringAt(u, "status", "phase") == "Failed" && stringAt(u, "metadata", "labels", "job-name") == "" {
		s.restarts++ // another one takes its place
	}
	return s
}

// left returns what the first container of a pod that left anything has left, and
// when it ended.
func left(u *unstructured.Unstructured) (message, finished string) {
	for _, c := range items(u.Object, "status", "containerStatuses") {
		message, finished = str(c, "state", "terminated", "message"), str(c, "state", "terminated", "finishedAt")
		if message != "" {
			return text.Lines(message, maxMessage), finished
		}
	}
	return "", ""
}

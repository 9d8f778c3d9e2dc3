package kubernetes

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/text"
)

// maxMessage bounds the message of a job, in bytes, as Kubernetes does.
const maxMessage = 4 << 10

// Bounds of a failure and of an event, in bytes.
const (
	maxSentence = 400
	maxReason   = 128 // the limit of the API server
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
		s.restarts++ // its controller replaces it
	}
	return s
}

// left returns the message of the first container of a pod that wrote one, and when the
// container ended.
func left(u *unstructured.Unstructured) (message, finished string) {
	for _, c := range items(u.Object, "status", "containerStatuses") {
		message, finished = str(c, "state", "terminated", "message"), str(c, "state", "terminated", "finishedAt")
		if message != "" {
			return text.Lines(message, maxMessage), finished
		}
	}
	return "", ""
}

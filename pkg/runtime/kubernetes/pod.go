package kubernetes

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// maxMessage bounds what a job may leave, in bytes. It is what Kubernetes takes
// from one container.
const maxMessage = 4 << 10

// pod judges a pod.
func pod(u *unstructured.Unstructured) summary {
	s := summary{failure: podFailure(u), revision: text(u, "metadata", "labels", "controller-revision-hash")}
	s.done = text(u, "status", "phase") == "Succeeded"
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, c := range items(u.Object, "status", field) {
			s.restarts += integer(c, 0, "restartCount")
		}
	}
	if text(u, "status", "phase") == "Failed" && text(u, "metadata", "labels", "job-name") == "" {
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
			return strings.ToValidUTF8(message[:min(len(message), maxMessage)], ""), finished
		}
	}
	return "", ""
}

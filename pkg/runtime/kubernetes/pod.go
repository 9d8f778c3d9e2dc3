package kubernetes

import (
	"strings"

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
	s := summary{failure: podFailure(u), revision: str(u.Object, "metadata", "labels", "controller-revision-hash")}
	s.done = str(u.Object, "status", "phase") == "Succeeded"
	s.why, s.images = unready(u), strings.Join(images(u), "\n")
	for _, c := range statuses(u) {
		s.restarts += integer(c, 0, "restartCount")
	}
	if str(u.Object, "status", "phase") == "Failed" && str(u.Object, "metadata", "labels", "job-name") == "" {
		s.restarts++ // its controller replaces it
	}
	return s
}

// unready says why a pod that has not failed is not ready, "" if it is, or the pod does
// not tell. It names no pods, as failures do.
func unready(u *unstructured.Unstructured) string {
	phase := str(u.Object, "status", "phase")
	if phase != "Pending" && phase != "Running" {
		return ""
	}
	for _, c := range items(u.Object, "status", "containerStatuses") {
		if ready, _ := c["ready"].(bool); ready {
			continue
		}
		name := text.Line(str(c, "name"), maxReason)
		_, runs, _ := unstructured.NestedMap(c, "state", "running")
		started, told := c["started"].(bool)
		switch {
		case !runs:
			return "container " + name + " is being made"
		case told && !started:
			return "startup probe fails"
		}
		return "readiness probe fails"
	}
	if c := conditionOf(u, "Ready"); c.kind != "" && c.status != "True" && len(items(u.Object, "status", "containerStatuses")) > 0 {
		return "readiness gate is not met"
	}
	return ""
}

// Bounds of the images of a workload, and of one of them in bytes.
const (
	maxImages = 8
	maxImage  = 512
)

// images lists the images of the containers of a pod that run, with their digests, sidecars
// last: "ghcr.io/acme/shop:1.4.2@sha256:…".
func images(u *unstructured.Unstructured) (list []string) {
	sidecar := map[string]bool{}
	for _, c := range items(u.Object, "spec", "initContainers") {
		sidecar[str(c, "name")] = str(c, "restartPolicy") == "Always"
	}
	all := items(u.Object, "status", "containerStatuses")
	for _, c := range items(u.Object, "status", "initContainerStatuses") {
		if sidecar[str(c, "name")] {
			all = append(all, c)
		}
	}
	for _, c := range all {
		if _, runs, _ := unstructured.NestedMap(c, "state", "running"); !runs {
			continue
		}
		image := str(c, "image")
		if _, digest, ok := strings.Cut(str(c, "imageID"), "@"); ok && !strings.Contains(image, "@") {
			image += "@" + digest
		}
		if image != "" {
			list = append(list, text.Line(image, maxImage))
		}
	}
	return list
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

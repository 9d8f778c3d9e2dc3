package kubernetes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/text"
)

// Reasons of failures that this runtime reports.
const (
	ContainerCrash           = model.ContainerCrash       // a container ends again and again
	OutOfMemory              = "OutOfMemory"              // … because it exceeds its memory limit
	ImageUnavailable         = "ImageUnavailable"         // an image cannot be pulled
	SecretMissing            = "SecretMissing"            // a Secret or a key of one is not there
	ConfigInvalid            = "ConfigInvalid"            // a container cannot be made as specified
	Unschedulable            = "Unschedulable"            // no node takes a pod
	PodLost                  = "PodLost"                  // a pod was evicted, or its node is gone
	VolumeFailed             = "VolumeFailed"             // a disk of a machine cannot be made
	PodsRefused              = "PodsRefused"              // the API server refuses pods, for instance by quota
	ProgressDeadlineExceeded = "ProgressDeadlineExceeded" // a rollout takes too long
	JobFailed                = "JobFailed"                // a job used up its attempts
)

// podFailure returns the failure of a pod, if there is one. Its message names
// containers and causes, but no pods, counts or delays: so the same failure has the
// same message, and is one event and not one for each attempt.
func podFailure(u *unstructured.Unstructured) model.Failure {
	for _, c := range statuses(u) {
		if f := containerFailure(c); f.Reason != "" {
			return ofService(u, f)
		}
	}
	switch phase := str(u.Object, "status", "phase"); {
	case phase == "Failed":
		return lost("a pod ended: " + str(u.Object, "status", "reason") + " " + str(u.Object, "status", "message"))
	case phase == "Unknown" || abandoned(u):
		return lost("the node of a pod does not answer")
	case phase == "Pending" || phase == "":
		if c := conditionOf(u, "PodScheduled"); c.status == "False" && c.reason == "Unschedulable" {
			message, _, _ := strings.Cut(c.message, " preemption:")
			return failureOf(model.ClassInfrastructure, Unschedulable, message)
		}
	}
	return model.Failure{}
}

// ofService calls the end of a container that runs a service of Windows what it is.
func ofService(u *unstructured.Unstructured, f model.Failure) model.Failure {
	if service := str(u.Object, "metadata", "annotations", render.AnnotationService); service != "" && f.Reason == ContainerCrash {
		f.Reason = model.WindowsServiceStopped
		f.Message = text.Line(fmt.Sprintf("service %s of Windows stopped with exit code %d", service, f.ExitCode), maxSentence)
	}
	return f
}

func lost(message string) model.Failure {
	return failureOf(model.ClassInfrastructure, PodLost, strings.TrimSpace(message))
}

func failureOf(class, reason, message string) model.Failure {
	return model.Failure{Class: class, Reason: reason, Message: text.Line(message, maxSentence)}
}

// abandoned reports whether the control plane has lost the node of a pod: it then marks
// the pod as not ready, and leaves the containers as the node last reported them.
func abandoned(u *unstructured.Unstructured) bool {
	containers := items(u.Object, "status", "containerStatuses")
	if str(u.Object, "status", "phase") != "Running" || len(containers) == 0 || len(items(u.Object, "spec", "readinessGates")) > 0 {
		return false
	}
	sidecar := func(c map[string]any) bool { return str(c, "restartPolicy") == "Always" } // the readiness of the pod depends on it
	if slices.ContainsFunc(items(u.Object, "spec", "initContainers"), sidecar) || slices.ContainsFunc(containers, unreadyContainer) {
		return false
	}
	c := conditionOf(u, "Ready")
	return c.kind != "" && c.status != "True"
}

func unreadyContainer(c map[string]any) bool { return c["ready"] != true }

func containerFailure(c map[string]any) model.Failure {
	name := str(c, "name")
	if !unreadyContainer(c) {
		return model.Failure{}
	}
	switch waiting := str(c, "state", "waiting", "reason"); waiting {
	case "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable":
		return failureOf(model.ClassRuntime, ImageUnavailable, fmt.Sprintf("container %s: image %s cannot be pulled", name, str(c, "image")))
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		said := str(c, "state", "waiting", "message")
		f := failureOf(model.ClassApplication, ConfigInvalid, "container "+name+": "+apply.WithoutValues(said))
		if lacks := missing(said); lacks != "" {
			f.Message = text.Line("container "+name+" needs "+lacks, maxSentence)
			if strings.Contains(lacks, "Secret") {
				f.Reason = SecretMissing
			}
		}
		return f
	case "CrashLoopBackOff":
		return crash(c, name, "lastState")
	}
	for _, state := range []string{"state", "lastState"} {
		if integer(c, 0, state, "terminated", "exitCode") != 0 {
			return crash(c, name, state)
		}
	}
	return model.Failure{}
}

// What a node says of a pod that names an object or a key that is not there.
var (
	noObject = regexp.MustCompile(`^(secret|configmap) "([-.a-z0-9]{1,253})" not found$`)
	noKey    = regexp.MustCompile(`^couldn't find key ([-._A-Za-z0-9]{1,253}) in (Secret|ConfigMap) [-a-z0-9]{1,63}/([-.a-z0-9]{1,253})$`)
)

// missing says which object or key a node does not find, "" if it says something else.
func missing(said string) string {
	if m := noObject.FindStringSubmatch(said); m != nil {
		return map[string]string{"secret": "Secret ", "configmap": "ConfigMap "}[m[1]] + m[2] + ", which the namespace does not have"
	}
	if m := noKey.FindStringSubmatch(said); m != nil {
		return "key " + m[1] + " of " + m[2] + " " + m[3] + ", which the object does not have"
	}
	return ""
}

func crash(c map[string]any, name, state string) model.Failure {
	f := model.Failure{Class: model.ClassRuntime, Reason: ContainerCrash, ExitCode: integer(c, 0, state, "terminated", "exitCode")}
	why := ""
	switch reason := str(c, state, "terminated", "reason"); reason {
	case "OOMKilled":
		f.Reason, why = OutOfMemory, ": it exceeded its memory limit"
	case "", "Error", "Completed":
	default:
		why = ": " + reason
	}
	f.Signal = integer(c, 0, state, "terminated", "signal")
	if f.Signal == 0 && f.ExitCode > 128 && f.ExitCode <= 128+64 {
		f.Signal = f.ExitCode - 128 // a shell in the container reports signals so
	}
	f.Message = text.Line(fmt.Sprintf("container %s ends with exit code %d%s", name, f.ExitCode, why), maxSentence)
	return f
}

// conditionFailure returns the failure in the conditions of a workload, if there is one.
func conditionFailure(u *unstructured.Unstructured) model.Failure {
	for _, c := range conditions(u) {
		switch {
		case c.kind == "ReplicaFailure" && c.status == "True":
			return failureOf(model.ClassControlPlane, PodsRefused, apply.WithoutValues(podNames.ReplaceAllString(c.message, "pods: ")))
		case c.kind == "Progressing" && c.status == "False" && c.reason == "ProgressDeadlineExceeded":
			return model.Failure{Class: model.ClassApplication, Reason: ProgressDeadlineExceeded, Message: "the rollout made no progress in time"}
		}
	}
	return model.Failure{}
}

// podNames is the generated name in `pods "web-5d8c7-x2x9k" is forbidden: …`, which differs each time.
var podNames = regexp.MustCompile(`^pods "(?s:.*?)" `)

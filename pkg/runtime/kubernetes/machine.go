package kubernetes

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/text"
)

// The kinds of KubeVirt that show how machines fare.
var (
	virtualMachine         = schema.GroupVersionKind{Group: "kubevirt.io", Version: "v1", Kind: "VirtualMachine"}
	virtualMachineInstance = schema.GroupVersionKind{Group: "kubevirt.io", Version: "v1", Kind: "VirtualMachineInstance"}
)

// Exit codes of a machine, of which KubeVirt tells none: a guest that shut down, and one that ended in another way.
const (
	guestShutDown = 0
	guestFailed   = 1
)

// machine judges a VirtualMachine by what its controller says of the present spec. A change of it counts
// when the machine starts again.
func machine(u *unstructured.Unstructured) summary {
	s := summary{scales: true, restarts: integer(u.Object, 0, "status", "startFailure", "consecutiveFailCount")}
	runs := str(u.Object, "spec", "runStrategy") != render.RunHalted
	state := str(u.Object, "status", "printableStatus")
	ready, _, _ := unstructured.NestedBool(u.Object, "status", "ready")
	there, _, _ := unstructured.NestedBool(u.Object, "status", "created")
	s.outdated = runs && there && isTrue(u, "RestartRequired")
	s.current = int64(integer(u.Object, -1, "status", "desiredGeneration")) == u.GetGeneration() && !s.outdated && (runs || !there)
	s.rolling = s.outdated
	if !runs {
		return s
	}
	if s.replicas = 1; ready && state == "Running" {
		s.ready = 1
		return s
	}
	if s.failure = machineFailure(u, state); s.failure.Reason == "" && state != "" {
		s.why = text.Line("the machine is "+state, maxSentence)
	}
	return s
}

// machineFailure returns the failure that the state of a machine that is to run stands for. Its message names no machine,
// so that it is the same for all replicas.
func machineFailure(u *unstructured.Unstructured, state string) model.Failure {
	if c := conditionOf(u, "Failure"); c.status == "True" {
		return failureOf(model.ClassControlPlane, PodsRefused, apply.WithoutValues(c.message))
	}
	switch state {
	case "CrashLoopBackOff":
		f := failureOf(model.ClassRuntime, model.VMExit, "the machine ends whenever it starts")
		f.ExitCode = guestFailed
		return f
	case "ErrorUnschedulable":
		message := "no node takes the machine"
		if c := conditionOf(u, "PodScheduled"); c.status == "False" && c.message != "" {
			message = c.message
		}
		return failureOf(model.ClassInfrastructure, Unschedulable, message)
	case "ErrImagePull", "ImagePullBackOff":
		return failureOf(model.ClassRuntime, ImageUnavailable, "the image of the machine cannot be pulled")
	case "ErrorPvcNotFound":
		return failureOf(model.ClassApplication, ConfigInvalid, "a disk of the machine does not exist")
	case "DataVolumeError":
		return failureOf(model.ClassInfrastructure, VolumeFailed, "a disk of the machine cannot be filled")
	case "Unknown":
		return failureOf(model.ClassInfrastructure, PodLost, "the node of the machine does not answer")
	}
	return model.Failure{}
}

// machineInstance judges a machine that runs or has ended. One that is being deleted was told to end, and is not asked.
func machineInstance(u *unstructured.Unstructured) (s summary) {
	f := model.Failure{Class: model.ClassRuntime, Reason: model.VMExit}
	switch str(u.Object, "status", "phase") {
	case "Succeeded":
		f.ExitCode, f.Message = guestShutDown, "the guest shut down"
	case "Failed":
		f.ExitCode, f.Message = guestFailed, "the guest ended without shutting down"
	default:
		return s
	}
	if c := conditionOf(u, "GuestTerminated"); c.status == "True" {
		f.Message = fmt.Sprintf("%s (%s)", f.Message, text.Line(c.reason, maxReason))
		if c.reason == "HostShutdown" || c.reason == "HostStoppedFailed" {
			f.Class, f.Reason, f.ExitCode = model.ClassInfrastructure, PodLost, 0
		}
		if c.reason == "PlatformRequestedShutdown" {
			return s
		}
	}
	s.failure, s.restarts = f, 1
	return s
}

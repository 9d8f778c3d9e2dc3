package kubernetes

import (
	"testing"
	"unique"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
)

func machineOf(t *testing.T, kind, text string) summary {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal(encoded, &u.Object))
	u.SetAPIVersion("kubevirt.io/v1")
	u.SetKind(kind)
	if kind == "Pod" {
		u.SetAPIVersion("v1")
	}
	return summarize(u).(unique.Handle[summary]).Value()
}

// TestStatesOfMachines: what KubeVirt says of a machine comes to readiness, to a failure with its class and exit code, or to a reason.
func TestStatesOfMachines(t *testing.T) {
	for state, want := range map[string]model.Failure{
		"CrashLoopBackOff":   {Class: model.ClassRuntime, Reason: model.VMExit, ExitCode: 1, Message: "the machine ends whenever it starts"},
		"ErrorUnschedulable": {Class: model.ClassInfrastructure, Reason: Unschedulable, Message: "0/2 nodes are available"},
		"ErrImagePull":       {Class: model.ClassRuntime, Reason: ImageUnavailable, Message: "the image of the machine cannot be pulled"},
		"ImagePullBackOff":   {Class: model.ClassRuntime, Reason: ImageUnavailable, Message: "the image of the machine cannot be pulled"},
		"ErrorPvcNotFound":   {Class: model.ClassApplication, Reason: ConfigInvalid, Message: "a disk of the machine does not exist"},
		"DataVolumeError":    {Class: model.ClassInfrastructure, Reason: VolumeFailed, Message: "a disk of the machine cannot be filled"},
		"Unknown":            {Class: model.ClassInfrastructure, Reason: PodLost, Message: "the node of the machine does not answer"},
	} {
		s := machineOf(t, "VirtualMachine", `{metadata: {generation: 2}, spec: {runStrategy: Always}, status: {printableStatus: `+state+`,
			desiredGeneration: 2, created: true, conditions: [{type: PodScheduled, status: "False", message: 0/2 nodes are available}]}}`)
		require.Equal(t, want, s.failure, state)
		require.Equal(t, []int{1, 0}, []int{s.replicas, s.ready}, state)
	}
	for _, state := range []string{"Provisioning", "Starting", "WaitingForVolumeBinding", "WaitingForReceiver", "Paused", "Migrating", "Stopping", "Terminating", "Stopped"} {
		s := machineOf(t, "VirtualMachine", `{metadata: {generation: 2}, spec: {runStrategy: Always}, status: {printableStatus: `+state+`, desiredGeneration: 2}}`)
		require.Equal(t, summary{scales: true, current: true, replicas: 1, why: "the machine is " + state}, s)
	}
	for name, c := range map[string]struct {
		text string
		want summary
	}{
		"runs":       {`{metadata: {generation: 2}, spec: {runStrategy: Always}, status: {printableStatus: Running, ready: true, created: true, desiredGeneration: 2}}`, summary{scales: true, current: true, replicas: 1, ready: 1}},
		"not seen":   {`{metadata: {generation: 3}, spec: {runStrategy: Always}, status: {printableStatus: Running, ready: true, created: true, desiredGeneration: 2}}`, summary{scales: true, replicas: 1, ready: 1}},
		"outdated":   {`{metadata: {generation: 2}, spec: {runStrategy: Always}, status: {printableStatus: Running, ready: true, created: true, desiredGeneration: 2, conditions: [{type: RestartRequired, status: "True"}]}}`, summary{scales: true, outdated: true, rolling: true, replicas: 1, ready: 1}},
		"halted":     {`{metadata: {generation: 2}, spec: {runStrategy: Halted}, status: {printableStatus: Stopped, desiredGeneration: 2}}`, summary{scales: true, current: true}},
		"still ends": {`{metadata: {generation: 2}, spec: {runStrategy: Halted}, status: {printableStatus: Stopping, created: true, desiredGeneration: 2}}`, summary{scales: true}},
		"refused": {`{metadata: {generation: 1}, spec: {runStrategy: Always}, status: {printableStatus: Stopped, desiredGeneration: 1, conditions: [{type: Failure, status: "True", message: exceeded quota}]}}`,
			summary{scales: true, current: true, replicas: 1, failure: model.Failure{Class: model.ClassControlPlane, Reason: PodsRefused, Message: "exceeded quota"}}},
	} {
		require.Equal(t, c.want, machineOf(t, "VirtualMachine", c.text), name)
	}
}

// TestExitsOfMachines: a guest that ended is told apart from one that shut down, and from one whose host went.
func TestExitsOfMachines(t *testing.T) {
	exit := func(class, reason string, code int, message string) summary {
		return summary{restarts: 1, failure: model.Failure{Class: class, Reason: reason, ExitCode: code, Message: message}}
	}
	for text, want := range map[string]summary{
		`{status: {phase: Running}}`:   {},
		`{status: {phase: Failed}}`:    exit(model.ClassRuntime, model.VMExit, 1, "the guest ended without shutting down"),
		`{status: {phase: Succeeded}}`: exit(model.ClassRuntime, model.VMExit, 0, "the guest shut down"),
		`{status: {phase: Failed, conditions: [{type: GuestTerminated, status: "True", reason: GuestCrashed}]}}`:                 exit(model.ClassRuntime, model.VMExit, 1, "the guest ended without shutting down (GuestCrashed)"),
		`{status: {phase: Failed, conditions: [{type: GuestTerminated, status: "True", reason: HostStoppedFailed}]}}`:            exit(model.ClassInfrastructure, PodLost, 0, "the guest ended without shutting down (HostStoppedFailed)"),
		`{status: {phase: Succeeded, conditions: [{type: GuestTerminated, status: "True", reason: PlatformRequestedShutdown}]}}`: {},
	} {
		require.Equal(t, want, machineOf(t, "VirtualMachineInstance", text), text)
	}
}

// TestMachinesStartAgainOneByOne: of outdated machines one that is not ready ends first, none while one that is up to date is not
// ready, and none of another version than was told.
func TestMachinesStartAgainOneByOne(t *testing.T) {
	const told = model.Digest("d")
	made := func(name string, s summary, workload string) []*apply.Object {
		ref := apply.Ref{Group: "kubevirt.io", Kind: "VirtualMachine", Namespace: "acme", Name: name}
		instance := ref
		instance.Kind = "VirtualMachineInstance"
		return []*apply.Object{
			{Ref: ref, Component: "db", Workload: workload, Summary: unique.Make(s)},
			{Ref: instance, Component: "db", Owner: ref, UID: "uid of " + name},
		}
	}
	old, slow := summary{outdated: true, replicas: 1, ready: 1}, summary{outdated: true, replicas: 1}
	well, starts := summary{replicas: 1, ready: 1}, summary{replicas: 1}
	for name, c := range map[string]struct {
		states []summary
		want   string
	}{
		"the first":                {[]summary{old, old, old}, "uid of a"},
		"the one that is not well": {[]summary{old, slow, slow}, "uid of b"},
		"the next":                 {[]summary{well, old, old}, "uid of b"},
		"not yet":                  {[]summary{starts, old, old}, ""},
		"none is left":             {[]summary{well, well, {}}, ""},
	} {
		var objects []*apply.Object
		for i, s := range c.states {
			objects = append(objects, made(string(rune('a'+i)), s, "d.3")...)
		}
		got := ""
		if o := outdated("db", told, objects); o != nil {
			got = o.UID
		}
		require.Equal(t, c.want, got, name)
		require.Nil(t, outdated("web", told, objects), name)
	}
	require.Nil(t, outdated("db", told, made("a", old, "e.3")), "it is not as it was told to be")
	ends := made("a", old, "d.3")
	ends[1].Deleting = true
	require.Nil(t, outdated("db", told, ends), "it ends already")
}

// TestServicesOfWindows: the end of a container that runs a service of Windows is called that.
func TestServicesOfWindows(t *testing.T) {
	s := machineOf(t, "Pod", `{metadata: {annotations: {d-aros.dev/service: w3svc}}, status: {phase: Running,
		containerStatuses: [{name: iis, restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 3}}}]}}`)
	require.Equal(t, model.Failure{Class: model.ClassRuntime, Reason: model.WindowsServiceStopped, ExitCode: 3, Message: "service w3svc of Windows stopped with exit code 3"}, s.failure)
	require.Equal(t, 2, s.restarts)
}

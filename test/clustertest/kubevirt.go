package clustertest

import (
	"context"
	_ "embed"
	"reflect"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

//go:embed kubevirt.yaml
var kubeVirt []byte

// The resources of KubeVirt.
var (
	Machines  = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachines"}
	instances = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachineinstances"}
)

// GuestLabel on a machine says what its guest does: "crash" ends it whenever it has started.
const GuestLabel = "kubevirt.d-aros.dev/guest"

// DefineKubeVirt has the cluster know the kinds of KubeVirt. They stay: other tests share them.
func (c *Cluster) DefineKubeVirt(t testing.TB) {
	t.Helper()
	c.define(t, kubeVirt, Machines, instances)
}

// KubeVirt plays the controller of KubeVirt in a namespace until the test ends: it makes an instance of each machine that is to
// run, has it run or fail, makes it again when it has ended, and says so in the words of KubeVirt. A change of a machine waits
// for its next start.
func (c *Cluster) KubeVirt(t testing.TB, namespace string) {
	t.Helper()
	c.DefineKubeVirt(t)
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		t.Fatalf("play KubeVirt: %v", err)
	}
	k := &virt{client.Resource(Machines).Namespace(namespace), client.Resource(instances).Namespace(namespace)}
	repeat(t, "KubeVirt", k.turn)
}

// virt is the controller of one namespace.
type virt struct{ machines, instances dynamic.ResourceInterface }

// turn looks at every machine and at every instance once.
func (k *virt) turn(ctx context.Context) error {
	vms, err := k.machines.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	vmis, err := k.instances.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	runs := map[string]*unstructured.Unstructured{}
	for i := range vmis.Items {
		runs[vmis.Items[i].GetName()] = &vmis.Items[i]
	}
	for i := range vms.Items {
		vm := &vms.Items[i]
		if err := k.machine(ctx, vm, runs[vm.GetName()]); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
		delete(runs, vm.GetName())
	}
	for name := range runs { // the collector of garbage of this cluster may not know the kinds yet
		if err := k.instances.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// machine brings one machine a step nearer to what is declared, and reports.
func (k *virt) machine(ctx context.Context, vm, vmi *unstructured.Unstructured) error {
	strategy, _, _ := unstructured.NestedString(vm.Object, "spec", "runStrategy")
	template, _, _ := unstructured.NestedMap(vm.Object, "spec", "template")
	phase := ""
	if vmi != nil {
		phase, _, _ = unstructured.NestedString(vmi.Object, "status", "phase")
	}
	status := map[string]any{"desiredGeneration": vm.GetGeneration(), "created": vmi != nil, "ready": false, "printableStatus": "Stopped"}
	failed, _, _ := unstructured.NestedInt64(vm.Object, "status", "startFailure", "consecutiveFailCount")
	var err error
	switch {
	case vmi == nil && strategy == "Always":
		status["printableStatus"] = "Starting"
		err = k.start(ctx, vm, template)
	case vmi != nil && strategy == "Halted", phase == "Succeeded", phase == "Failed" && failed > 0 && !same(vmi, template):
		status["printableStatus"] = "Stopping"
		err = k.instances.Delete(ctx, vmi.GetName(), metav1.DeleteOptions{})
	case vmi == nil:
	case phase == "":
		status["printableStatus"] = "Starting"
		now := "Running"
		if vmi.GetLabels()[GuestLabel] == "crash" {
			now = "Failed"
		}
		vmi.Object["status"] = map[string]any{"phase": now}
		_, err = k.instances.UpdateStatus(ctx, vmi, metav1.UpdateOptions{})
	case phase == "Failed":
		failed++
		status["printableStatus"], status["startFailure"] = "CrashLoopBackOff", map[string]any{"consecutiveFailCount": min(failed, 3)}
	default:
		status["printableStatus"], status["ready"] = "Running", true
		if !same(vmi, template) {
			status["conditions"] = []any{map[string]any{"type": "RestartRequired", "status": "True"}}
		}
	}
	if err != nil {
		return err
	}
	if was, _, _ := unstructured.NestedMap(vm.Object, "status"); reflect.DeepEqual(was, status) {
		return nil
	}
	vm.Object["status"] = status
	_, err = k.machines.UpdateStatus(ctx, vm, metav1.UpdateOptions{})
	return err
}

// start makes the instance of a machine as it is declared now.
func (k *virt) start(ctx context.Context, vm *unstructured.Unstructured, template map[string]any) error {
	vmi := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "spec": template["spec"]}}
	vmi.SetName(vm.GetName())
	labels, _, _ := unstructured.NestedStringMap(template, "metadata", "labels")
	vmi.SetLabels(labels)
	yes := true
	vmi.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: vm.GetAPIVersion(), Kind: vm.GetKind(), Name: vm.GetName(), UID: vm.GetUID(), Controller: &yes, BlockOwnerDeletion: &yes}})
	_, err := k.instances.Create(ctx, vmi, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// same reports whether an instance runs what a template says.
func same(vmi *unstructured.Unstructured, template map[string]any) bool {
	guest, _, _ := unstructured.NestedString(template, "metadata", "labels", GuestLabel)
	return reflect.DeepEqual(vmi.Object["spec"], template["spec"]) && vmi.GetLabels()[GuestLabel] == guest
}

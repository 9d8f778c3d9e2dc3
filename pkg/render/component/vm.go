package component

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// VirtualMachine is the kind of KubeVirt that its controller starts machines of.
const VirtualMachine = "VirtualMachine.kubevirt.io"

// Run strategies of a machine.
const (
	RunAlways = "Always" // started again whenever it has ended
	RunHalted = "Halted"
)

// machine is a vm component while it is rendered.
type machine struct {
	Input
	out   Output
	known trait.Context // what its traits, and sources of its disks, may know
	vmProperties
}

// vmProperties has the properties of a vm component.
type vmProperties struct {
	Image       string            `json:"image"`
	Boot        string            `json:"boot"`
	Disks       []disk            `json:"disks"`
	Cores       int64             `json:"cores"`
	Memory      string            `json:"memory"`
	Firmware    string            `json:"firmware"`
	Ports       []declared.Port   `json:"ports"`
	CloudInit   *cloudInit        `json:"cloudInit"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// vm renders a vm: for each replica a VirtualMachine with a number and disks of its own. One that is not to
// run is there and halted, so that it keeps what belongs to it.
func vm(in Input) (Output, error) {
	if in.Track == TrackNext {
		return Output{}, declared.Faultf(declared.CodeConflict, "type", "is a virtual machine, of which two versions do not run side by side; bring it with a deploy step")
	}
	m := &machine{Input: in}
	if err := properties(in.Spec, &m.vmProperties); err != nil {
		return Output{}, err
	}
	if err := declared.RefuseReserved("properties", m.vmProperties.Labels, m.Annotations); err != nil {
		return Output{}, err
	}
	m.known = in.known("StatefulSet", container{}, m.Ports, requirements(in.Spec, in.Grant))
	gives, err := m.traits()
	if err != nil {
		return Output{}, err
	}
	place, err := m.place(gives)
	if err != nil {
		return Output{}, err
	}
	meta := metav1.ObjectMeta{Labels: Labelled(m.vmProperties.Labels, in.Labels), Annotations: m.Annotations}
	count := max(1, in.Spec.Replicas, in.Run)
	for i := range count {
		name, strategy := declared.Join(declared.MaxName, in.Name, strconv.Itoa(i)), RunHalted
		if i < in.Run {
			strategy = RunAlways
		}
		domain, err := m.hardware()
		volumes, disks, wrong := m.attached(name, count)
		if err := cmp.Or(err, wrong); err != nil {
			return Output{}, err
		}
		declared.Below(domain, "devices")["disks"] = disks
		// A machine says where it runs as a pod does, and has no containers.
		template := Untyped(&corev1.Pod{ObjectMeta: meta, Spec: place}).Object
		spec := declared.Below(template, "spec")
		delete(spec, "containers")
		spec["domain"], spec["volumes"] = domain, volumes
		spec["networks"] = []any{map[string]any{"name": "default", "pod": map[string]any{}}}
		m.out.Objects = append(m.out.Objects, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"runStrategy": strategy, "template": template},
		}})
	}
	for _, port := range m.Ports {
		m.out.Listens = append(m.out.Listens, At(port))
	}
	m.out.service(in, m.Ports, gives.Service, false)
	return m.out, nil
}

// traits returns what its traits give. To them a machine is like a replica of a store: it has a name and disks of its own.
func (m *machine) traits() (trait.Patch, error) {
	var all map[string]json.RawMessage
	if err := declared.Read(m.Spec.Traits, &all); err != nil {
		return trait.Patch{}, declared.Faultf(declared.CodeUnreadable, "traits", "%v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if can := trait.OfMachines(); !slices.Contains(can, name) {
			return trait.Patch{}, declared.Faultf(declared.CodeConflict, "traits."+name, "is not for a vm, which can have %s", strings.Join(can, ", "))
		}
	}
	gives, err := trait.Process(m.known)
	if err != nil {
		return gives, err
	}
	for _, port := range gives.Entries {
		m.out.Entries = append(m.out.Entries, At(port))
	}
	for _, o := range gives.Objects {
		m.out.add(o)
	}
	return gives, nil
}

// place says where the machine runs. Its node has Linux, whatever its guest has.
func (m *machine) place(gives trait.Patch) (pod corev1.PodSpec, err error) {
	place, host := m.placement(), *m.Spec
	host.OS, place.spec = "linux", &host
	pod.Affinity, pod.Tolerations = gives.Pod.Affinity, gives.Pod.Tolerations
	pod.NodeSelector, pod.TopologySpreadConstraints, err = place.where("StatefulSet", Selector(m.App.ID, m.Spec.Name))
	if grace := m.App.Spec.Lifecycle.Grace; grace > 0 {
		pod.TerminationGracePeriodSeconds = new(int64((grace + time.Second - 1) / time.Second))
	}
	return pod, cmp.Or(err, place.together(&pod))
}

// hardware renders what the guest finds, but for its disks. It is told of less memory than was granted, because what runs
// around it has its part: so the pod asks for what arbitration counted.
func (m *machine) hardware() (map[string]any, error) {
	granted := m.Grant.Requests
	memory := max(granted.Memory/8*7>>20, 1) << 20
	if m.Memory != "" {
		asked, err := model.ParseMemory(m.Memory)
		if err != nil {
			return nil, declared.Faultf(declared.CodeUnreadable, "properties.memory", "%v", err)
		}
		if memory = asked; asked > granted.Memory {
			whole := declared.Quantity("memory", granted.Memory)
			return nil, declared.Against("resources.requests.memory", declared.CodeUndeclared, "properties.memory",
				"gives the guest %s, but the component was granted %s in all: declare it in resources.requests", m.Memory, whole.String())
		}
	}
	var gpus, ports []any
	for _, name := range granted.Names() {
		if name == "cpu" || name == "memory" {
			continue
		}
		for range granted.Get(name) {
			gpus = append(gpus, map[string]any{"name": fmt.Sprintf("gpu%d", len(gpus)), "deviceName": name})
		}
	}
	listening, err := containerPorts(m.Ports)
	for _, port := range listening {
		ports = append(ports, map[string]any{"name": port.Name, "port": int64(port.ContainerPort), "protocol": string(port.Protocol)})
	}
	network := declared.Given(map[string]any{"name": "default", "ports": ports})
	network["masquerade"] = map[string]any{} // behind the address of the pod; without ports it lets all in
	guest, asks, firmware := declared.Quantity("memory", memory), requirements(m.Spec, m.Grant), map[string]any{}
	if m.Firmware == "efi" {
		firmware["bootloader"] = map[string]any{"efi": map[string]any{"secureBoot": false}}
	}
	return declared.Given(map[string]any{
		"cpu":    map[string]any{"cores": cmp.Or(m.Cores, max(1, (granted.CPU+999)/1000))},
		"memory": map[string]any{"guest": guest.String()},
		// The launcher around the guest has a part of the requests, and not more beside them.
		"resources": declared.Given(map[string]any{"requests": ofNode(asks.Requests), "limits": ofNode(asks.Limits), "overcommitGuestOverhead": true}),
		"devices":   declared.Given(map[string]any{"gpus": gpus, "interfaces": []any{network}}),
		"firmware":  firmware,
	}), err
}

// ofNode returns the resources that a machine asks for by amount. Devices are parts of it.
func ofNode(all corev1.ResourceList) map[string]any {
	list := map[string]any{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if amount, ok := all[name]; ok {
			list[string(name)] = amount.String()
		}
	}
	return list
}

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

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/trait"
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
	spec := guest{Networks: []guestNetwork{{Name: "default"}}}
	if err := cmp.Or(m.place(&spec, gives), m.hardware(&spec.Domain)); err != nil {
		return Output{}, err
	}
	count := max(1, in.Spec.Replicas, in.Run)
	for i := range count {
		vm := &virtualMachine{TypeMeta: metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine"}}
		vm.Name = declared.Join(declared.MaxName, in.Name, strconv.Itoa(i))
		vm.Spec.RunStrategy = RunHalted
		if i < in.Run {
			vm.Spec.RunStrategy = RunAlways
		}
		vm.Spec.Template.Labels, vm.Spec.Template.Annotations = Labelled(m.vmProperties.Labels, in.Labels), m.Annotations
		vm.Spec.Template.Spec = spec
		if err := m.attach(&vm.Spec.Template.Spec, vm.Name, count); err != nil {
			return Output{}, err
		}
		m.out.add(vm)
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
func (m *machine) place(spec *guest, gives trait.Patch) error {
	pod := corev1.PodSpec{Affinity: gives.Pod.Affinity}
	place, host := m.placement(), *m.Spec
	host.OS, place.spec = "linux", &host
	var err error
	spec.NodeSelector, spec.TopologySpreadConstraints, err = place.where("StatefulSet", Selector(m.App.ID, m.Spec.Name))
	if err := cmp.Or(err, place.together(&pod)); err != nil {
		return err
	}
	spec.Affinity, spec.Tolerations = pod.Affinity, gives.Pod.Tolerations
	if grace := m.App.Spec.Lifecycle.Grace; grace > 0 {
		spec.GraceSeconds = new(int64((grace + time.Second - 1) / time.Second))
	}
	return nil
}

// hardware renders what the guest finds. It is told of less memory than was granted, because what runs around it has its
// part: so the pod asks for what arbitration counted.
func (m *machine) hardware(d *domain) error {
	granted := m.Grant.Requests
	memory := max(granted.Memory/8*7>>20, 1) << 20
	if m.Memory != "" {
		asked, err := model.ParseMemory(m.Memory)
		if err != nil {
			return declared.Faultf(declared.CodeUnreadable, "properties.memory", "%v", err)
		}
		if memory = asked; asked > granted.Memory {
			whole := declared.Quantity("memory", granted.Memory)
			return declared.Against("resources.requests.memory", declared.CodeUndeclared, "properties.memory",
				"gives the guest %s, but the component was granted %s in all: declare it in resources.requests", m.Memory, whole.String())
		}
	}
	guest := declared.Quantity("memory", memory)
	d.Memory.Guest, d.CPU.Cores = guest.String(), cmp.Or(m.Cores, max(1, (granted.CPU+999)/1000))
	asks := requirements(m.Spec, m.Grant)
	d.Resources.Requests, d.Resources.Limits, d.Resources.OvercommitGuestOverhead = ofNode(asks.Requests), ofNode(asks.Limits), true
	for _, name := range granted.Names() {
		if name == "cpu" || name == "memory" {
			continue
		}
		for range granted.Get(name) {
			d.Devices.GPUs = append(d.Devices.GPUs, guestGPU{fmt.Sprintf("gpu%d", len(d.Devices.GPUs)), name})
		}
	}
	network := guestInterface{Name: "default"}
	listening, err := containerPorts(m.Ports)
	if err != nil {
		return err
	}
	for _, port := range listening {
		network.Ports = append(network.Ports, guestPort{port.Name, port.ContainerPort, string(port.Protocol)})
	}
	d.Devices.Interfaces = []guestInterface{network}
	if m.Firmware == "efi" {
		d.Firmware = &firmware{}
	}
	return nil
}

// ofNode returns the resources that a machine asks for by amount. Devices are parts of it.
func ofNode(all corev1.ResourceList) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if amount, ok := all[name]; ok {
			list[name] = amount
		}
	}
	return list
}

package component

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// VirtualMachine is the kind of KubeVirt that its controller starts machines of.
const VirtualMachine = "VirtualMachine.kubevirt.io"

// Run strategies of a machine.
const (
	RunAlways = "Always" // started again whenever it has ended
	RunHalted = "Halted"
)

type virtualMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		RunStrategy string `json:"runStrategy"`
		Template    struct {
			metav1.ObjectMeta `json:"metadata"`
			Spec              guest `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// DeepCopyObject makes it an object of Kubernetes. It is written once and never copied.
func (v *virtualMachine) DeepCopyObject() runtime.Object { copied := *v; return &copied }

// guest is the spec of a machine that runs.
type guest struct {
	Domain   domain         `json:"domain"`
	Networks []guestNetwork `json:"networks"`
	Volumes  []guestVolume  `json:"volumes,omitempty"`

	NodeSelector              map[string]string                 `json:"nodeSelector,omitempty"`
	Affinity                  *corev1.Affinity                  `json:"affinity,omitempty"`
	Tolerations               []corev1.Toleration               `json:"tolerations,omitempty"`
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	GraceSeconds              *int64                            `json:"terminationGracePeriodSeconds,omitempty"`
}

type guestNetwork struct {
	Name string   `json:"name"`
	Pod  struct{} `json:"pod"`
}

// domain is the hardware.
type domain struct {
	CPU struct {
		Cores int64 `json:"cores"`
	} `json:"cpu"`
	Memory struct {
		Guest string `json:"guest"`
	} `json:"memory"`
	Resources struct {
		Requests corev1.ResourceList `json:"requests,omitempty"`
		Limits   corev1.ResourceList `json:"limits,omitempty"`
		// The launcher around the guest has a part of the requests, and not more beside them.
		OvercommitGuestOverhead bool `json:"overcommitGuestOverhead"`
	} `json:"resources"`
	Devices struct {
		Disks      []guestDisk      `json:"disks,omitempty"`
		GPUs       []guestGPU       `json:"gpus,omitempty"`
		Interfaces []guestInterface `json:"interfaces"`
	} `json:"devices"`
	Firmware *firmware `json:"firmware,omitempty"`
}

type firmware struct {
	Bootloader struct {
		EFI struct {
			SecureBoot bool `json:"secureBoot"`
		} `json:"efi"`
	} `json:"bootloader"`
}

type guestDisk struct {
	Name      string `json:"name"`
	Serial    string `json:"serial,omitempty"` // by which the guest finds it
	BootOrder int    `json:"bootOrder,omitempty"`
	Disk      struct {
		Bus string `json:"bus"`
	} `json:"disk"`
}

type guestGPU struct {
	Name       string `json:"name"`
	DeviceName string `json:"deviceName"`
}

// guestInterface is behind the address of the pod. Without ports it lets all in.
type guestInterface struct {
	Name       string      `json:"name"`
	Masquerade struct{}    `json:"masquerade"`
	Ports      []guestPort `json:"ports,omitempty"`
}

type guestPort struct {
	Name     string `json:"name"`
	Port     int32  `json:"port"`
	Protocol string `json:"protocol"`
}

// guestVolume is what a disk has. One source is set. Nothing here reaches the node: KubeVirt's hostDisk
// and devices of the host have no field.
type guestVolume struct {
	Name          string                                    `json:"name"`
	ContainerDisk *containerDisk                            `json:"containerDisk,omitempty"`
	Claim         *corev1.PersistentVolumeClaimVolumeSource `json:"persistentVolumeClaim,omitempty"`
	Empty         *emptyDisk                                `json:"emptyDisk,omitempty"`
	Config        *corev1.LocalObjectReference              `json:"configMap,omitempty"`
	Secret        *corev1.SecretVolumeSource                `json:"secret,omitempty"`
	NoCloud       *firstStart                               `json:"cloudInitNoCloud,omitempty"`
	ConfigDrive   *firstStart                               `json:"cloudInitConfigDrive,omitempty"`
}

type containerDisk struct {
	Image string `json:"image"`
}

type emptyDisk struct {
	Capacity string `json:"capacity"`
}

// firstStart is what cloud-init in the guest reads.
type firstStart struct {
	UserData    string                       `json:"userData,omitempty"`
	Secret      *corev1.LocalObjectReference `json:"secretRef,omitempty"` // with the key userdata
	NetworkData string                       `json:"networkData,omitempty"`
}

package declared

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Port is a port that a component listens on.
type Port struct {
	Port       int32  `json:"port"`
	Name       string `json:"name"`
	Protocol   string `json:"protocol"`
	Expose     *bool  `json:"expose"`
	TargetPort int32  `json:"targetPort"`
}

// Is reports whether it is the port of a number, or of a name that was declared.
func (p Port) Is(port intstr.IntOrString) bool {
	if port.Type == intstr.String {
		return p.Name == port.StrVal && p.Name != ""
	}
	return p.Port == port.IntVal
}

// Exposed reports whether the Service of the component has the port.
func (p Port) Exposed() bool { return p.Expose == nil || *p.Expose }

// Transport returns the protocol, TCP without a declared one.
func (p Port) Transport() corev1.Protocol {
	return cmp.Or(corev1.Protocol(p.Protocol), corev1.ProtocolTCP)
}

// Target returns the port of the container.
func (p Port) Target() int32 { return cmp.Or(p.TargetPort, p.Port) }

// Label returns the declared name, or a name such as tcp-8080.
func (p Port) Label() string {
	return cmp.Or(p.Name, fmt.Sprintf("%s-%d", strings.ToLower(string(p.Transport())), p.Port))
}

package trait

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "probes", Process: reading("probes", probes)})

// probe checks the health of a container, in one of four ways.
type probe struct {
	HTTP *struct {
		Path    string              `json:"path"`
		Port    intstr.IntOrString  `json:"port"`
		Scheme  string              `json:"scheme"`
		Headers []corev1.HTTPHeader `json:"headers"`
	} `json:"http"`
	TCP *struct {
		Port intstr.IntOrString `json:"port"`
	} `json:"tcp"`
	GRPC *struct {
		Port    intstr.IntOrString `json:"port"`
		Service *string            `json:"service"`
	} `json:"grpc"`
	Exec             *corev1.ExecAction `json:"exec"`
	InitialDelay     string             `json:"initialDelay"`
	Period           string             `json:"period"`
	Timeout          string             `json:"timeout"`
	FailureThreshold int32              `json:"failureThreshold"`
	SuccessThreshold int32              `json:"successThreshold"`
}

// health is the declaration of the probes trait.
type health struct{ Liveness, Readiness, Startup *probe }

// probes check whether the container is alive, is ready and has started.
func probes(c Context, h health) (patch Patch, err error) {
	m := &patch.Main
	m.Liveness, m.Readiness, m.Startup, err = h.render("traits.probes", c.Ports)
	return patch, err
}

// render returns the probes of a container, whose ports they may name.
func (h health) render(path string, ports []declared.Port) (liveness, readiness, startup *corev1.Probe, err error) {
	liveness, dead := h.Liveness.render(path+".liveness", ports)
	readiness, unready := h.Readiness.render(path+".readiness", ports)
	startup, unstarted := h.Startup.render(path+".startup", ports)
	return liveness, readiness, startup, cmp.Or(dead, unready, unstarted)
}

// target returns the number of a port of a container, which may be said by a name that it declares.
func target(path string, port intstr.IntOrString, ports []declared.Port) (intstr.IntOrString, error) {
	if port.Type == intstr.Int {
		return port, nil
	}
	i := slices.IndexFunc(ports, func(p declared.Port) bool { return p.Name == port.StrVal })
	if i < 0 {
		return port, declared.Faultf(declared.CodeReference, path, "names %s, which is no port of the container", port.StrVal)
	}
	return intstr.FromInt32(ports[i].Target()), nil
}

// count returns how many are so.
func count(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

func (p *probe) render(path string, ports []declared.Port) (*corev1.Probe, error) {
	if p == nil {
		return nil, nil
	}
	var err error
	rendered := &corev1.Probe{FailureThreshold: p.FailureThreshold, SuccessThreshold: p.SuccessThreshold}
	rendered.Exec = p.Exec
	if p.HTTP != nil {
		rendered.HTTPGet = &corev1.HTTPGetAction{Path: p.HTTP.Path, Scheme: corev1.URIScheme(p.HTTP.Scheme), HTTPHeaders: p.HTTP.Headers}
		rendered.HTTPGet.Port, err = target(path+".http.port", p.HTTP.Port, ports)
	}
	if p.TCP != nil {
		rendered.TCPSocket = &corev1.TCPSocketAction{}
		rendered.TCPSocket.Port, err = target(path+".tcp.port", p.TCP.Port, ports)
	}
	if p.GRPC != nil {
		var port intstr.IntOrString
		port, err = target(path+".grpc.port", p.GRPC.Port, ports)
		rendered.GRPC = &corev1.GRPCAction{Port: port.IntVal, Service: p.GRPC.Service}
	}
	if err != nil {
		return nil, err
	}
	if count(p.HTTP != nil, p.TCP != nil, p.GRPC != nil, p.Exec != nil) != 1 {
		return nil, declared.Faultf(declared.CodeUnreadable, path, "asks in one way: http, tcp, grpc or exec")
	}
	var delay, period, timeout error
	rendered.InitialDelaySeconds, delay = declared.OptionalSeconds(path+".initialDelay", p.InitialDelay)
	rendered.PeriodSeconds, period = declared.OptionalSeconds(path+".period", p.Period)
	rendered.TimeoutSeconds, timeout = declared.OptionalSeconds(path+".timeout", p.Timeout)
	return rendered, cmp.Or(delay, period, timeout)
}

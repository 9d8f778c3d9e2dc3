package trait

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "probes", Process: reading("probes", probes)})

// probe checks the health of a container, in one of four ways.
type probe struct {
	HTTP *struct {
		Path   string `json:"path"`
		Port   int32  `json:"port"`
		Scheme string `json:"scheme"`
	} `json:"http"`
	TCP *struct {
		Port int32 `json:"port"`
	} `json:"tcp"`
	GRPC *struct {
		Port    int32   `json:"port"`
		Service *string `json:"service"`
	} `json:"grpc"`
	Exec *struct {
		Command []string `json:"command"`
	} `json:"exec"`
	InitialDelay     string `json:"initialDelay"`
	Period           string `json:"period"`
	Timeout          string `json:"timeout"`
	FailureThreshold int32  `json:"failureThreshold"`
	SuccessThreshold int32  `json:"successThreshold"`
}

// health is the declaration of the probes trait.
type health struct{ Liveness, Readiness, Startup *probe }

// probes check whether the container is alive, is ready and has started.
func probes(_ Context, h health) (patch Patch, err error) {
	if patch.Main.Liveness, err = h.Liveness.render("traits.probes.liveness"); err != nil {
		return patch, err
	}
	if patch.Main.Readiness, err = h.Readiness.render("traits.probes.readiness"); err != nil {
		return patch, err
	}
	patch.Main.Startup, err = h.Startup.render("traits.probes.startup")
	return patch, err
}

func (p *probe) render(path string) (*corev1.Probe, error) {
	if p == nil {
		return nil, nil
	}
	rendered := &corev1.Probe{FailureThreshold: p.FailureThreshold, SuccessThreshold: p.SuccessThreshold}
	ways := 0
	if p.HTTP != nil {
		ways++
		rendered.HTTPGet = &corev1.HTTPGetAction{
			Path: p.HTTP.Path, Port: intstr.FromInt32(p.HTTP.Port), Scheme: corev1.URIScheme(p.HTTP.Scheme),
		}
	}
	if p.TCP != nil {
		ways++
		rendered.TCPSocket = &corev1.TCPSocketAction{Port: intstr.FromInt32(p.TCP.Port)}
	}
	if p.GRPC != nil {
		ways++
		rendered.GRPC = &corev1.GRPCAction{Port: p.GRPC.Port, Service: p.GRPC.Service}
	}
	if p.Exec != nil {
		ways++
		rendered.Exec = &corev1.ExecAction{Command: p.Exec.Command}
	}
	if ways != 1 {
		return nil, declared.Faultf(declared.CodeUnreadable, path, "asks in one way: http, tcp, grpc or exec")
	}
	for _, d := range []struct {
		name, value string
		into        *int32
	}{
		{"initialDelay", p.InitialDelay, &rendered.InitialDelaySeconds},
		{"period", p.Period, &rendered.PeriodSeconds},
		{"timeout", p.Timeout, &rendered.TimeoutSeconds},
	} {
		n, err := declared.OptionalSeconds(path+"."+d.name, d.value)
		if err != nil {
			return nil, err
		}
		*d.into = n
	}
	return rendered, nil
}

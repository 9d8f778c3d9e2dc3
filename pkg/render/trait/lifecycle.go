package trait

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "lifecycle", Process: reading("lifecycle", lifecycle)})

// hook does one thing in a container.
type hook struct {
	Exec *corev1.ExecAction `json:"exec"`
	HTTP *struct {
		Path string             `json:"path"`
		Port intstr.IntOrString `json:"port"`
	} `json:"http"`
	Sleep string `json:"sleep"`
}

// moments is the declaration of the lifecycle trait.
type moments struct{ PostStart, PreStop *hook }

// lifecycle makes hooks. They run after the container starts, and before it is told to stop. The time of the
// second counts towards the grace of the application.
func lifecycle(c Context, m moments) (patch Patch, err error) {
	after, err := m.PostStart.render("traits.lifecycle.postStart", c.Ports)
	before, wrong := m.PreStop.render("traits.lifecycle.preStop", c.Ports)
	if after != nil || before != nil {
		patch.Main.Lifecycle = &corev1.Lifecycle{PostStart: after, PreStop: before}
	}
	return patch, cmp.Or(err, wrong)
}

func (h *hook) render(path string, ports []declared.Port) (*corev1.LifecycleHandler, error) {
	if h == nil {
		return nil, nil
	}
	rendered := &corev1.LifecycleHandler{Exec: h.Exec}
	if h.HTTP != nil {
		port, err := target(path+".http.port", h.HTTP.Port, ports)
		if err != nil {
			return nil, err
		}
		rendered.HTTPGet = &corev1.HTTPGetAction{Path: h.HTTP.Path, Port: port}
	}
	if h.Sleep != "" {
		n, err := declared.Seconds(path+".sleep", h.Sleep)
		if err != nil {
			return nil, err
		}
		rendered.Sleep = &corev1.SleepAction{Seconds: n}
	}
	if count(h.Exec != nil, h.HTTP != nil, h.Sleep != "") != 1 {
		return nil, declared.Faultf(declared.CodeUnreadable, path, "does one thing: exec, http or sleep")
	}
	return rendered, nil
}

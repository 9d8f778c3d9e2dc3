package component

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// container has the properties of every component that runs a container.
type container struct {
	Image       string                       `json:"image"`
	Command     []string                     `json:"command"`
	Args        []string                     `json:"args"`
	Env         map[string]declared.Variable `json:"env"`
	Labels      map[string]string            `json:"labels"`
	Annotations map[string]string            `json:"annotations"`

	PullSecrets    []string `json:"pullSecrets"`
	ServiceAccount *account `json:"serviceAccount"`

	RuntimeClass string `json:"runtimeClass"`
	HostProcess  string `json:"hostProcess"` // the account of a Windows node that it runs as
}

// service has the properties of a component that keeps running.
type service struct {
	container
	Ports []declared.Port `json:"ports"`

	WindowsService string `json:"service"` // of a windows-service
	User           string `json:"user"`    // of Windows
}

// jobProperties has the properties of a component that ends by itself.
type jobProperties struct {
	container
	BackoffLimit *int32 `json:"backoffLimit"`
	Completions  *int32 `json:"completions"`
	Deadline     string `json:"deadline"`
}

// cronProperties has the properties of a job on a schedule.
type cronProperties struct {
	jobProperties
	Schedule    string `json:"schedule"`
	TimeZone    string `json:"timeZone"`
	Concurrency string `json:"concurrency"`
}

// data has the properties of a config or secret component.
type data struct {
	Data     map[string]string `json:"data"`
	Redacted bool              `json:"redacted"`       // values are digests
	Sops     string            `json:"sops,omitempty"` // the file of SOPS that has the values

	Source model.Digest `json:"source,omitempty"` // of that file
}

package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// container has the properties of every component that runs a container.
type container struct {
	Image       string              `json:"image"`
	Command     []string            `json:"command"`
	Args        []string            `json:"args"`
	Env         map[string]envValue `json:"env"`
	Labels      map[string]string   `json:"labels"`
	Annotations map[string]string   `json:"annotations"`

	PullSecrets    []string `json:"pullSecrets"`
	ServiceAccount *account `json:"serviceAccount"`
}

// service has the properties of a component that keeps running.
type service struct {
	container
	Ports []port `json:"ports"`
}

// job has the properties of a component that ends by itself.
type job struct {
	container
	BackoffLimit *int32 `json:"backoffLimit"`
	Completions  *int32 `json:"completions"`
	Deadline     string `json:"deadline"`
}

// cron has the properties of a job on a schedule.
type cron struct {
	job
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

type port struct {
	Port       int32  `json:"port"`
	Name       string `json:"name"`
	Protocol   string `json:"protocol"`
	Expose     *bool  `json:"expose"`
	TargetPort int32  `json:"targetPort"`
}

// envValue is a plain value or the source of one.
type envValue struct {
	Value  string  `json:"-"`
	Secret *keyRef `json:"secret"`
	Config *keyRef `json:"config"`
	Field  string  `json:"field"`
}

// keyRef names a key of a config or secret component, or of a Secret that others made.
type keyRef struct {
	Name     string `json:"name"`
	Existing string `json:"existing"`
	Key      string `json:"key"`
}

// secretRef names a secret component, or a Secret that others made.
type secretRef struct {
	Name     string
	Existing string
}

// UnmarshalJSON reads the name of a component, or {existing: name}.
func (s *secretRef) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &s.Name)
	}
	var others struct {
		Existing string `json:"existing"`
	}
	err := decode(b, &others)
	s.Existing = others.Existing
	return err
}

// UnmarshalJSON reads a string or a reference.
func (e *envValue) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &e.Value)
	}
	type plain envValue
	return decode(b, (*plain)(e))
}

// decode reads JSON strictly: unknown fields and trailing text are errors.
func decode(b []byte, v any) error {
	if len(b) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text after the end")
	}
	return nil
}

// seconds reads a duration in whole seconds, rounded up.
func seconds(path, s string) (int64, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, faultf(CodeUnreadable, path, "%q is not a duration such as 30s or 10m", s)
	}
	return int64((d + time.Second - 1) / time.Second), nil
}

// optionalSeconds is seconds for a duration that may be left out.
func optionalSeconds(path, s string) (int32, error) {
	if s == "" {
		return 0, nil
	}
	n, err := seconds(path, s)
	return int32(min(n, 1<<31-1)), err
}

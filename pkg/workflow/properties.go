package workflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// duration is written as 90s or 5m.
type duration time.Duration

func (d *duration) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(text)
	*d = duration(parsed)
	return err
}

type waitProperties struct {
	For duration `json:"for"`
}

type approvalProperties struct {
	Roles []string `json:"roles"` // one of them is needed; none: everybody who may commit the approval
	Count int      `json:"count"` // of people, 0 and 1: one
}

// checkProperties say what to ask, what is a good answer, and how many are needed.
type checkProperties struct {
	URL        string   `json:"url"`
	Prometheus string   `json:"prometheus"`
	Query      string   `json:"query"`
	Success    string   `json:"success"` // a condition on status, body or value
	Every      duration `json:"every"`
	Times      int      `json:"times"`    // good answers needed, 0 and 1: one
	Failures   int      `json:"failures"` // bad answers borne
}

type notifyProperties struct {
	URL     string `json:"url"`
	Secret  string `json:"secret"` // name of the key that signs it; never the key
	Message string `json:"message"`
}

// stage is one stretch on the way from one version to the next.
type stage struct {
	Replicas int      `json:"replicas"`
	Weight   int      `json:"weight"`
	Pause    duration `json:"pause"`
	Manual   bool     `json:"manual"` // continues when a person resumes it

	extra   bool
	traffic model.Traffic
}

type canaryProperties struct {
	Stages []stage          `json:"stages"`
	Check  *checkProperties `json:"check"`
}

type blueGreenProperties struct {
	Pause  duration         `json:"pause"`
	Manual bool             `json:"manual"`
	Keep   duration         `json:"keep"` // how long the old version stays after the switch
	Check  *checkProperties `json:"check"`
}

// read decodes the properties of a step.
func read(s *model.Step, into any) error {
	if len(s.Properties) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("properties of step %s: %w", s.Name, err)
	}
	return nil
}

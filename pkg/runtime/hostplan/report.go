package hostplan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Report is what a host offers, and how its processes do. It changes when they do: that the
// host lives is told by the time of its file.
type Report struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Host       string            `json:"host"`
	Pool       string            `json:"pool"`
	Fleet      string            `json:"fleet,omitempty"`      // of the plan that it keeps
	Generation int64             `json:"generation,omitempty"` // of that plan, 0: none
	Problem    string            `json:"problem,omitempty"`    // of the plan file, which is not in force
	Labels     map[string]string `json:"labels,omitempty"`
	Capacity   model.Resources   `json:"capacity"`
	Processes  []Process         `json:"processes"` // by workload, then by replica
}

// Process is one replica of a workload on the host.
type Process struct {
	Key
	Replica  int          `json:"replica"`
	Digest   model.Digest `json:"digest"` // of the workload that it carries out
	State    State        `json:"state"`
	PID      int          `json:"pid,omitempty"`
	Started  time.Time    `json:"started,omitzero"` // last
	Restarts int          `json:"restarts,omitempty"`
	Exit     *Exit        `json:"exit,omitempty"`    // the last one since the program is told to run
	Message  string       `json:"message,omitempty"` // why it does not run
}

// State is how a process does.
type State string

// States.
const (
	Starting State = "starting" // it runs, and not for long enough to count
	Running  State = "running"
	Waiting  State = "waiting"  // it ended, and is started again later
	Stopping State = "stopping" // it was asked to end
	Done     State = "done"     // it was to end, and ended well
	Failed   State = "failed"   // it was to end, and used up its attempts
	Refused  State = "refused"  // the host does not start it
)

// Exit is how a process ended.
type Exit struct {
	Code    int       `json:"code,omitempty"`
	Signal  int       `json:"signal,omitempty"`
	Memory  bool      `json:"memory,omitempty"`  // it exceeded its memory limit
	Unknown bool      `json:"unknown,omitempty"` // it ended while no agent ran
	At      time.Time `json:"at"`
}

// Well reports whether a program ended as one that has done its work.
func (e *Exit) Well() bool { return e.Code == 0 && e.Signal == 0 && !e.Unknown }

// ParseReport reads the report of a host.
func ParseReport(data []byte) (r Report, err error) {
	if err = decode(data, kindReport, &r); err != nil {
		return Report{}, err
	}
	if r.APIVersion != APIVersion || r.Kind != kindReport {
		return Report{}, fmt.Errorf("apiVersion %q, kind %q: this program reads %s %s", r.APIVersion, r.Kind, APIVersion, kindReport)
	}
	if len(r.Processes) > maxWorkloads || r.Capacity.CPU < 0 || r.Capacity.Memory < 0 || r.Generation < 0 {
		return Report{}, fmt.Errorf("%d processes, capacity %d and %d: no host is so", len(r.Processes), r.Capacity.CPU, r.Capacity.Memory)
	}
	r.Problem = text.Line(r.Problem, maxMessage)
	for i := range r.Processes {
		r.Processes[i].Message = text.Line(r.Processes[i].Message, maxMessage)
	}
	return r, nil
}

// maxMessage bounds a sentence of a host, in bytes.
const maxMessage = 300

// Encode writes a report that ParseReport reads back.
func (r *Report) Encode() ([]byte, error) {
	r.APIVersion, r.Kind = APIVersion, kindReport
	return encode(r)
}

// decode reads one JSON document without unknown fields.
func decode(data []byte, what string, into any) error {
	if len(data) > MaxDocument {
		return fmt.Errorf("%s of more than %d bytes", what, MaxDocument)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %s", what, text.Line(err.Error(), maxMessage))
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%s: something follows the document", what)
	}
	return nil
}

func encode(document any) ([]byte, error) {
	data, err := json.MarshalIndent(document, "", " ")
	if err == nil && len(data) >= MaxDocument {
		err = fmt.Errorf("%d bytes: a pool of hosts has room for %d", len(data), MaxDocument)
	}
	return append(data, '\n'), err
}

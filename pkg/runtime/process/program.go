package process

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// properties are those of a component that runs as a process.
type properties struct {
	Command    []string       `json:"command"`
	Args       []string       `json:"args"`
	Env        map[string]any `json:"env"`
	User       string         `json:"user"`
	Directory  string         `json:"directory"`
	StopSignal string         `json:"stopSignal"`
	Tasks      int            `json:"tasks"`
	Logs       struct {
		Size  string `json:"size"`
		Files int    `json:"files"`
	} `json:"logs"`
	BackoffLimit *int   `json:"backoffLimit"` // of a job
	Deadline     string `json:"deadline"`
}

// program returns what hosts start for a component of an application.
func program(spec *model.Application, c *model.Component, grant model.Grant) (hostplan.Program, error) {
	var p properties
	if err := json.Unmarshal(c.Properties, &p); err != nil {
		return hostplan.Program{}, fmt.Errorf("its properties are none of a process: %w", err)
	}
	if len(p.Command) == 0 {
		return hostplan.Program{}, fmt.Errorf("its properties have no command")
	}
	prog := hostplan.Program{
		Command: slices.Concat(p.Command, p.Args), User: p.User, Directory: p.Directory, StopSignal: p.StopSignal, Tasks: p.Tasks,
		Grace: spec.Lifecycle.Grace, Limits: limits(c, grant), Logs: hostplan.Logs{Files: p.Logs.Files}, Finite: c.Finite(),
	}
	for name, value := range p.Env {
		text, ok := value.(string)
		if !ok {
			return prog, fmt.Errorf("variable %s is no string, and hosts get no secrets and no fields of pods", name)
		}
		if prog.Env == nil {
			prog.Env = map[string]string{}
		}
		prog.Env[name] = text
	}
	var err error
	if p.Logs.Size != "" {
		if prog.Logs.Size, err = model.ParseMemory(p.Logs.Size); err != nil {
			return prog, fmt.Errorf("logs.size: %w", err)
		}
	}
	if prog.Finite {
		prog.Attempts = 4
		if p.BackoffLimit != nil {
			prog.Attempts = *p.BackoffLimit + 1
		}
		if p.Deadline != "" {
			if prog.Deadline, err = time.ParseDuration(p.Deadline); err != nil {
				return prog, fmt.Errorf("deadline: %w", err)
			}
		}
	}
	return prog, nil
}

// limits are those that are declared; a guaranteed component has no more memory than it
// requests, and a guaranteed-pro one no more of anything. None is below the request.
func limits(c *model.Component, grant model.Grant) model.Resources {
	limit := model.Resources{CPU: c.Limits.CPU, Memory: c.Limits.Memory}
	qos := cmp.Or(grant.QoS, c.QoS)
	if qos == model.Guaranteed || qos == model.GuaranteedPro {
		limit.Memory = grant.Requests.Memory
	}
	if qos == model.GuaranteedPro {
		limit.CPU = grant.Requests.CPU
	}
	if limit.CPU > 0 {
		limit.CPU = max(limit.CPU, grant.Requests.CPU)
	}
	if limit.Memory > 0 {
		limit.Memory = max(limit.Memory, grant.Requests.Memory)
	}
	return limit
}

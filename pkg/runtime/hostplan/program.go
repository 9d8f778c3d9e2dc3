package hostplan

import (
	"fmt"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Program is what a host starts for each replica. Whether it may, its own agent decides.
type Program struct {
	Command    []string          `json:"command"` // the program, an absolute path, and its arguments
	Env        map[string]string `json:"env,omitempty"`
	User       string            `json:"user,omitempty"`       // "": the first that the host has for the tenant
	Directory  string            `json:"directory,omitempty"`  // that it is started in, "": the root directory
	StopSignal string            `json:"stopSignal,omitempty"` // "": SIGTERM
	Grace      time.Duration     `json:"grace,omitempty"`      // between the signal and the kill, 0: DefaultGrace

	Finite   bool            `json:"finite,omitempty"`   // it ends by itself, and is not started again when it ended well
	Attempts int             `json:"attempts,omitempty"` // of a finite program; 0: without end
	Deadline time.Duration   `json:"deadline,omitempty"` // after which it is stopped, 0: none
	Limits   model.Resources `json:"limits"`
	Tasks    int             `json:"tasks,omitempty"` // processes and threads, 0: DefaultTasks
	Logs     Logs            `json:"logs"`
}

// Logs bounds what is kept of the output of a replica.
type Logs struct {
	Size  int64 `json:"size,omitempty"`  // bytes of one file, 0: DefaultLogSize
	Files int   `json:"files,omitempty"` // that are kept, 0: DefaultLogFiles
}

// What holds where a program says nothing.
const (
	DefaultGrace    = 30 * time.Second
	DefaultTasks    = 4096
	DefaultLogSize  = 10 << 20
	DefaultLogFiles = 3
)

// Bounds of what a program may ask for.
const (
	maxGrace    = 24 * time.Hour
	maxDeadline = 365 * 24 * time.Hour
	maxLogSize  = 1 << 30
	maxLogFiles = 20
	maxTasks    = 1 << 20
)

// Signals are those with which programs are asked to end.
var Signals = map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGUSR1": 10, "SIGUSR2": 12, "SIGTERM": 15}

func (p *Program) check() error {
	if len(p.Command) == 0 || len(p.Command) > maxArguments || len(p.Env) > maxVariables {
		return fmt.Errorf("a command of %d parts, %d variables: want 1 to %d, and at most %d", len(p.Command), len(p.Env), maxArguments, maxVariables)
	}
	for _, part := range p.Command {
		if len(part) > maxText || strings.ContainsRune(part, 0) {
			return fmt.Errorf("a part of the command is too long or has a zero byte")
		}
	}
	for name, value := range p.Env {
		if name == "" || len(name)+len(value) > maxText || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return fmt.Errorf("a variable has no name, is too long, or has a zero byte")
		}
	}
	if len(p.User) > 255 || len(p.Directory) > 4096 || strings.ContainsRune(p.Directory, 0) {
		return fmt.Errorf("its user or directory is too long")
	}
	if _, known := Signals[p.StopSignal]; !known && p.StopSignal != "" {
		return fmt.Errorf("stop signal %.20q is none of those that ask a program to end", p.StopSignal)
	}
	for _, bound := range []struct {
		what    string
		n, most int64
	}{
		{"grace", int64(p.Grace), int64(maxGrace)}, {"deadline", int64(p.Deadline), int64(maxDeadline)},
		{"attempts", int64(p.Attempts), 1 << 20}, {"tasks", int64(p.Tasks), maxTasks},
		{"logs.size", p.Logs.Size, maxLogSize}, {"logs.files", int64(p.Logs.Files), maxLogFiles},
		{"limits.cpu", p.Limits.CPU, 1 << 40}, {"limits.memory", p.Limits.Memory, 1 << 50},
	} {
		if bound.n < 0 || bound.n > bound.most {
			return fmt.Errorf("%s is %d, want 0 to %d", bound.what, bound.n, bound.most)
		}
	}
	return nil
}

// Identity digests what a running program cannot take over: if it changes, the program is
// started anew.
func (p *Program) Identity() model.Digest {
	started := *p
	started.Grace, started.StopSignal, started.Attempts, started.Logs = 0, "", 0, Logs{}
	return model.DigestOf(started)
}

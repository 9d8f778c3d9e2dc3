package nomad

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// task is the name of the one group of each job, and of the one task in it.
const task = "main"

// Names in the meta of jobs and namespaces: whose they are, and what they were told.
const (
	metaFleet     = "d-aros.fleet"
	metaTenant    = "d-aros.tenant"
	metaApp       = "d-aros.application"
	metaComponent = "d-aros.component"
	metaBeside    = "d-aros.beside"
	metaJob       = "d-aros.job"
	metaLock      = "d-aros.lock"
	metaWorkload  = "d-aros.workload"
	metaSpec      = "d-aros.spec" // digest of what the job was told
)

// job is a job as it is registered. What a field has no value for, Nomad chooses.
type job struct {
	ID          string
	Name        string
	Namespace   string
	Type        string
	Datacenters []string
	NodePool    string
	Priority    int
	Stop        bool
	Meta        map[string]string
	Update      *update  `json:",omitempty"`
	Spreads     []spread `json:",omitempty"`
	TaskGroups  []group
}

type update struct {
	MaxParallel    int
	HealthCheck    string
	MinHealthyTime time.Duration
}

type spread struct {
	Attribute string
	Weight    int
}

type group struct {
	Name             string
	Count            int
	RestartPolicy    restarts
	ReschedulePolicy reschedules
	Tasks            []program
}

type restarts struct {
	Attempts int
	Interval time.Duration
	Delay    time.Duration
	Mode     string
}

type reschedules struct {
	Attempts  int
	Unlimited bool
}

type program struct {
	Name        string
	Driver      string
	Config      map[string]any
	Env         map[string]string `json:",omitempty"`
	User        string            `json:",omitempty"`
	KillTimeout time.Duration     `json:",omitempty"`
	Resources   resources
}

type resources struct {
	CPU         int64 // MHz; a thousandth of a processor is one
	MemoryMB    int64
	MemoryMaxMB int64 `json:",omitempty"`
}

// idOf returns the name of a job in the namespace of its tenant.
func idOf(k model.PartKey) string { return runtime.NameOf(k, 8) }

// keyOf returns the key that the meta of a job names.
func keyOf(meta map[string]string) model.PartKey {
	return model.PartKey{App: model.AppID{Tenant: meta[metaTenant], Name: meta[metaApp]}, Component: meta[metaComponent], Beside: meta[metaBeside] != "", Job: meta[metaJob]}
}

// job returns the job of a part.
func (r *Runtime) job(w *runtime.Part) (job, error) {
	var p struct {
		Image        string            `json:"image"`
		Command      []string          `json:"command"`
		Args         []string          `json:"args"`
		Env          map[string]string `json:"env"`
		User         string            `json:"user"`
		BackoffLimit *int              `json:"backoffLimit"`
	}
	if err := json.Unmarshal(w.Declared.Properties, &p); err != nil {
		return job{}, fmt.Errorf("its properties are none of a task: %w", err)
	}
	if !allowed(p.Image, w.Spec.Policy.Registries) {
		return job{}, fmt.Errorf("runs image %s, and policy allows images from %s (images.registries); write its name with the registry", text.Line(p.Image, 200), strings.Join(w.Spec.Policy.Registries, ", "))
	}
	for _, v := range w.Inputs {
		if p.Env == nil {
			p.Env = map[string]string{}
		}
		p.Env[v.Variable()] = v.Value
	}
	config := map[string]any{"image": p.Image}
	if len(p.Command) > 0 {
		config["entrypoint"] = p.Command
	}
	if len(p.Args) > 0 {
		config["args"] = p.Args
	}
	j := job{
		ID: idOf(w.PartKey), Name: idOf(w.PartKey), Namespace: r.o.Prefix + w.App.Tenant, Type: "service", Datacenters: []string{"*"}, NodePool: w.Grant.Pool,
		Priority: min(max(w.Spec.Priority/10, 1), 100),
		Meta: map[string]string{
			metaFleet: r.o.Fleet, metaTenant: w.App.Tenant, metaApp: w.App.Name, metaComponent: w.Component, metaWorkload: string(w.Digest),
		},
		TaskGroups: []group{{
			Name: task, Count: w.Replicas,
			RestartPolicy:    restarts{Attempts: 2, Interval: 5 * time.Minute, Delay: 5 * time.Second, Mode: "delay"},
			ReschedulePolicy: reschedules{Unlimited: true},
			Tasks: []program{{
				Name: task, Driver: "docker", Config: config, Env: p.Env, User: p.User, KillTimeout: w.Spec.Lifecycle.Grace,
				Resources: resources{CPU: max(w.Grant.Requests.CPU, 1), MemoryMB: max(megabytes(w.Grant.Requests.Memory), 10)},
			}},
		}},
	}
	for name, value := range map[string]string{metaJob: w.Job, metaLock: w.Lock} {
		if value != "" {
			j.Meta[name] = value
		}
	}
	if w.Beside {
		j.Meta[metaBeside] = "true"
	}
	g := &j.TaskGroups[0]
	if limit := megabytes(w.Declared.Limits.Memory); limit > g.Tasks[0].Resources.MemoryMB {
		g.Tasks[0].Resources.MemoryMaxMB = limit
	}
	if s := w.Declared.Placement.Spread; s != nil {
		j.Spreads = []spread{{"${node.datacenter}", 100}}
		if s.Over == "node" {
			j.Spreads[0].Attribute = "${node.unique.id}"
		}
	}
	if w.Declared.Finite() {
		attempts := 3
		if p.BackoffLimit != nil {
			attempts = *p.BackoffLimit
		}
		j.Type, g.ReschedulePolicy = "batch", reschedules{}
		g.RestartPolicy = restarts{Attempts: attempts, Interval: 24 * time.Hour, Delay: 5 * time.Second, Mode: "fail"}
	} else {
		j.Update = &update{MaxParallel: 1, HealthCheck: "task_states", MinHealthyTime: r.o.Steady}
	}
	data, err := json.Marshal(j)
	if err != nil {
		return j, err
	}
	j.Meta[metaSpec] = fmt.Sprintf("%x", sha256.Sum256(data))
	return j, nil
}

// allowed reports whether an image comes from one of the registries. Its name is compared as it is
// written, so a short one comes from none.
func allowed(image string, registries []string) bool {
	return !strings.Contains(image, "..") && slices.ContainsFunc(registries, func(r string) bool {
		return strings.HasPrefix(image, strings.TrimSuffix(r, "/")+"/")
	})
}

func megabytes(n int64) int64 { return (n + 1<<20 - 1) >> 20 }

// within reports whether all that is wanted is in what there is: Nomad adds what it chose.
func within(wanted, live any) bool {
	switch w := wanted.(type) {
	case map[string]any:
		l, ok := live.(map[string]any)
		if !ok {
			return len(w) == 0 && live == nil
		}
		for name, value := range w {
			if !within(value, l[name]) {
				return false
			}
		}
		return true
	case []any:
		l, _ := live.([]any)
		return slices.EqualFunc(w, l, within)
	case bool:
		l, _ := live.(bool)
		return w == l
	case nil:
		return true
	}
	return wanted == live
}

// holds reports whether a registered job is as it is wanted.

func (j *job) holds(registered json.RawMessage) bool {
	data, err := json.Marshal(j)
	var wanted, live any
	return err == nil && json.Unmarshal(data, &wanted) == nil && json.Unmarshal(registered, &live) == nil && within(wanted, live)
}

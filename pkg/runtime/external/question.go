package external

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// question is what is asked about a component, and how often.
type question struct {
	workload model.Digest // model.WorkloadDigest that the component was told
	run      int          // replicas; 0: nothing is asked
	address  string       // as Probe takes it
	hosts    []string
	interval time.Duration
	timeout  time.Duration
	failures int // that it takes to count as not well
}

// Bounds of questions, whatever a record says.
const (
	leastInterval = 5 * time.Second
	maxTimeout    = 10 * time.Second
)

// questionOf returns the question about a component. The schema has checked its properties.
func (r *Runtime) questionOf(a *runtime.Assignment, c *runtime.Component) question {
	var p struct {
		Address string `json:"address"`
		Health  struct {
			By       string `json:"by"`
			Path     string `json:"path"`
			Interval string `json:"interval"`
			Timeout  string `json:"timeout"`
			Failures int    `json:"failures"`
		} `json:"health"`
	}
	_ = json.Unmarshal(c.Properties, &p)
	q := question{
		workload: c.State.Workload, address: addressOf(p.Address, p.Health.By, p.Health.Path), hosts: hostsOf(a),
		interval: max(r.least, duration(p.Health.Interval, 30*time.Second)),
		timeout:  min(maxTimeout, duration(p.Health.Timeout, 5*time.Second)),
		failures: max(1, p.Health.Failures),
	}
	if c.Want == runtime.Running {
		q.run = c.State.Run
	}
	return q
}

// addressOf returns where to ask: what has a path, or begins with https, is asked by HTTP.
func addressOf(address, by, path string) string {
	u, err := url.Parse(address)
	secure := err == nil && u.Scheme == "https"
	if !secure {
		u = &url.URL{Scheme: "http", Host: address}
	}
	if by == "" {
		by = "tcp"
		if secure || path != "" {
			by = "http"
		}
	}
	if by == "tcp" {
		if u.Port() == "" {
			u.Host += ":443"
		}
		return "tcp://" + u.Host
	}
	if path != "" {
		u.Path, u.RawPath = "", ""
		return u.String() + path
	}
	return u.String()
}

func duration(text string, otherwise time.Duration) time.Duration {
	d, _ := time.ParseDuration(strings.TrimSpace(text))
	return cmp.Or(max(0, d), otherwise)
}

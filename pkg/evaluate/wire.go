package evaluate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// A request is one evaluation, for another process.
type request struct {
	Layer  string          `json:"layer"` // platform, tenant, application
	Tenant string          `json:"tenant,omitempty"`
	Name   string          `json:"name,omitempty"`
	Above  []blob          `json:"above,omitempty"`  // the platform's files, for a tenant
	Files  []blob          `json:"files"`            // of the directory
	Policy json.RawMessage `json:"policy,omitempty"` // in force, for an application
	Rest   []string        `json:"rest,omitempty"`
	Source model.Digest    `json:"source,omitempty"`
}

// A blob is a source. Its bytes need not be text.
type blob struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

func blobs(files []source) (out []blob) {
	for _, f := range files {
		out = append(out, blob{f.name, f.data})
	}
	return out
}

func sources(blobs []blob) (out []source) {
	for _, b := range blobs {
		out = append(out, source{b.Name, b.Data})
	}
	return out
}

func (r request) encode() []byte { return mustEncode(r) }

func mustEncode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode %T: %w", v, err)) // all of it came out of JSON
	}
	return data
}

// An answer is the result of one evaluation. What model leaves out of JSON stands
// beside it.
type answer struct {
	Platform    *model.Platform     `json:"platform,omitempty"`
	Tenant      *model.Tenant       `json:"tenant,omitempty"`
	Application *model.Application  `json:"application,omitempty"`
	At          model.Positions     `json:"at"`
	InForce     []model.PolicyValue `json:"inForce,omitempty"`
	Effective   json.RawMessage     `json:"effective,omitempty"`
	Choices     *choicesDoc         `json:"choices,omitempty"`
	Hosts       []host              `json:"hosts,omitempty"`
	Where       index               `json:"where,omitempty"`
	Problems    []model.Problem     `json:"problems,omitempty"`
}

func decodeAnswer(data []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("decode an answer: %w", err)
	}
	switch {
	case a.Platform != nil:
		a.Platform.At, a.Platform.Policy.InForce = a.At, a.InForce
	case a.Tenant != nil:
		a.Tenant.At, a.Tenant.Policy.InForce = a.At, a.InForce
	case a.Application != nil:
		a.Application.At = a.At
	case len(a.Problems) == 0:
		return a, fmt.Errorf("decode an answer: it says nothing")
	}
	return a, nil
}

func (r platformResult) answer() answer {
	a := answer{Platform: r.platform, Where: r.layer.where, Problems: r.problems}
	if r.platform != nil {
		a.At, a.InForce = r.platform.At, r.platform.Policy.InForce
	}
	return a
}

func (a answer) platform(files []source) platformResult {
	return platformResult{layer{"platform", files, a.Where}, a.Platform, a.Problems}
}

func (r tenantResult) answer() answer {
	a := answer{Tenant: r.tenant, Effective: r.effective, Where: r.layer.where, Problems: r.problems}
	if r.tenant != nil {
		a.At, a.InForce = r.tenant.At, r.tenant.Policy.InForce
	}
	return a
}

func (a answer) tenant(files []source) tenantResult {
	return tenantResult{layer{"tenant", files, a.Where}, a.Tenant, a.Effective, a.Problems}
}

func (r applicationResult) answer() answer {
	a := answer{Application: r.application, Choices: r.choices, Hosts: r.hosts, Where: r.layer.where, Problems: r.problems}
	if r.application != nil {
		a.At = r.application.At
	}
	return a
}

func (a answer) application(files []source) applicationResult {
	return applicationResult{layer{"application", files, a.Where}, a.Application, a.Choices, a.Hosts, a.Problems}
}

// hostDoc and the methods below give unexported fields a form in JSON.
type hostDoc struct{ Name, Path, At string }

func (h host) MarshalJSON() ([]byte, error) { return json.Marshal(hostDoc{h.name, h.path, h.at}) }

func (h *host) UnmarshalJSON(data []byte) error {
	var d hostDoc
	err := json.Unmarshal(data, &d)
	*h = host{d.Name, d.Path, d.At}
	return err
}

func (e entry) MarshalJSON() ([]byte, error) {
	return json.Marshal([]string{e.label, e.value, e.text})
}

func (e *entry) UnmarshalJSON(data []byte) error {
	var d [3]string
	err := json.Unmarshal(data, &d)
	*e = entry{d[0], d[1], d[2]}
	return err
}

// outline keeps of an application's index what is asked for after its evaluation:
// the places of policy, pools and profiles.
func (ix index) outline() index {
	out := index{}
	for k, entries := range ix {
		if path := strings.Split(k, "\x00"); len(path) < 4 || path[1] == "policy" || slices.Contains([]string{"placement", "qos", "degrade"}, path[3]) {
			out[k] = entries
		}
	}
	return out
}

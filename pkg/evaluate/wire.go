package evaluate

import (
	"encoding/json"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/d-aros/d-aros/pkg/evaluate/check"
	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
)

// A request is one evaluation, for another process.
type request struct {
	Layer  string          `json:"layer"` // platform, tenant, application, approval, kustomization
	Tenant string          `json:"tenant,omitempty"`
	Name   string          `json:"name,omitempty"`
	Above  []blob          `json:"above,omitempty"`  // the platform's files, for a tenant
	Files  []blob          `json:"files"`            // of the directory
	Policy json.RawMessage `json:"policy,omitempty"` // in force, for an application
	Rest   []string        `json:"rest,omitempty"`
	Source model.Digest    `json:"source,omitempty"`

	Kustomization *kustomize.Kustomization `json:"kustomization,omitempty"`
}

// A blob is a source. Its bytes need not be text.
type blob struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

func blobs(files []layer.Source) (out []blob) {
	for _, f := range files {
		out = append(out, blob{f.Name, f.Data})
	}
	return out
}

func sources(blobs []blob) (out []layer.Source) {
	for _, b := range blobs {
		out = append(out, layer.Source{Name: b.Name, Data: b.Data})
	}
	return out
}

func (r request) encode() []byte { return mustEncode(r) }

// mustEncode encodes a message as CBOR, in a third of the time of JSON: that would
// encode sources and nested JSON as text again.
func mustEncode(v any) []byte {
	data, err := cbor.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode %T: %w", v, err)) // its fields are plain values
	}
	return data
}

// An answer is the result of one evaluation. It has the fields that model leaves out
// of JSON.
type answer struct {
	Platform    *model.Platform     `json:"platform,omitempty"`
	Tenant      *model.Tenant       `json:"tenant,omitempty"`
	Application *model.Application  `json:"application,omitempty"`
	At          positions           `json:"at"`
	InForce     []model.PolicyValue `json:"inForce,omitempty"`
	Commands    []model.Command     `json:"commands,omitempty"`
	Policy      json.RawMessage     `json:"policy,omitempty"` // of a tenant's applications
	Choices     *decode.Choices     `json:"choices,omitempty"`
	Hosts       []hostDoc           `json:"hosts,omitempty"`
	Places      layer.Places        `json:"where,omitempty"`
	Built       *kustomize.Built    `json:"built,omitempty"`
	Problems    []model.Problem     `json:"problems,omitempty"`
}

func decodeAnswer(data []byte) (answer, error) {
	var a answer
	if err := cbor.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("decode an answer: %w", err)
	}
	switch {
	case a.Platform != nil:
		a.Platform.At, a.Platform.Policy.InForce = a.At.unpack(), a.InForce
	case a.Tenant != nil:
		a.Tenant.At, a.Tenant.Policy.InForce = a.At.unpack(), a.InForce
	case a.Application != nil:
		a.Application.At = a.At.unpack()
	case len(a.Problems)+len(a.Commands) == 0 && a.Built == nil:
		return a, fmt.Errorf("decode an answer: it says nothing")
	}
	return a, nil
}

func (r platformResult) answer() answer {
	a := answer{Platform: r.platform, Places: r.layer.Places(), Problems: r.problems}
	if r.platform != nil {
		a.At, a.InForce = packPositions(r.platform.At), r.platform.Policy.InForce
	}
	return a
}

func (a answer) platform(files []layer.Source) platformResult {
	return platformResult{a.Places.Layer("platform", files), a.Platform, a.Problems}
}

func (r tenantResult) answer() answer {
	a := answer{Tenant: r.tenant, Policy: r.policy, Places: r.layer.Places(), Problems: r.problems}
	if r.tenant != nil {
		a.At, a.InForce = packPositions(r.tenant.At), r.tenant.Policy.InForce
	}
	return a
}

func (a answer) tenant(files []layer.Source) tenantResult {
	return tenantResult{a.Places.Layer("tenant", files), a.Tenant, a.Policy, a.Problems}
}

func (r applicationResult) answer() answer {
	a := answer{Application: r.application, Choices: r.choices, Places: r.layer.Places(), Problems: r.problems}
	for _, h := range r.hosts {
		a.Hosts = append(a.Hosts, hostDoc{Name: h.Name, Path: h.Path, At: h.At})
	}
	if r.application != nil {
		bare := *r.application
		bare.Policy = model.Policy{} // complete adds it
		a.Application, a.At = &bare, packPositions(bare.At)
	}
	return a
}

// application keeps only the names of the files.
func (a answer) application(files []layer.Source) applicationResult {
	r := applicationResult{
		layer: layer.Layer{Field: "application"}, places: a.Places,
		application: a.Application, choices: a.Choices, problems: a.Problems,
	}
	for _, f := range files {
		r.layer.Files = append(r.layer.Files, layer.Source{Name: f.Name})
	}
	for _, h := range a.Hosts {
		r.hosts = append(r.hosts, check.Host{Name: h.Name, Path: h.Path, At: h.At})
	}
	return r
}

// hostDoc is a host in an answer.
type hostDoc struct {
	_              struct{} `cbor:",toarray"`
	Name, Path, At string
}

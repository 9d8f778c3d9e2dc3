package evaluate

import (
	"errors"
	"fmt"
	"unique"

	"github.com/fxamacker/cbor/v2"

	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/chart"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
)

// A request asks a Worker for one evaluation. Equal requests have equal results.
type request struct {
	Layer  string         `json:"layer"` // platform, tenant, application, document, approval, removal, health, template, build or place (of its failure)
	Tenant string         `json:"tenant,omitempty"`
	Name   string         `json:"name,omitempty"`
	Above  layer.Above    `json:"above,omitzero"`   // of the platform, for a tenant
	Files  []layer.Source `json:"files"`            // of the directory
	Policy []byte         `json:"policy,omitempty"` // in force, for an application

	Library []layer.Source `json:"library,omitempty"` // what an application imports of its tenant's packages, and the file that names the module
	Rest    []string       `json:"rest,omitempty"`    // files beside the CUE files of an application
	Source  model.Digest   `json:"source,omitempty"`  // of the rest

	// Encrypted has the digests of those of the rest that SOPS encrypted, by their names.
	Encrypted map[string]model.Digest `json:"encrypted,omitempty"`

	Kustomization *kustomize.Kustomization `json:"kustomization,omitempty"` // to build; else Chart
	Chart         *chart.Chart             `json:"chart,omitempty"`

	Health string `json:"health,omitempty"` // what a definition says of Live
	Live   []byte `json:"live,omitempty"`   // what is reported; of a template: its values
}

// A result is what the evaluation of one directory gives. Its model is nil if there
// are problems.
type result struct {
	Layer       layer.Layer        `json:"layer"`             // without the content of its files
	Outline     []byte             `json:"outline,omitempty"` // of an application, in place of Layer: see own
	Platform    *model.Platform    `json:"platform,omitempty"`
	Above       layer.Above        `json:"above,omitzero"` // of a platform: see layer.Document
	Tenant      *model.Tenant      `json:"tenant,omitempty"`
	Policy      []byte             `json:"policy,omitempty"` // that a tenant's applications are evaluated under
	Application *model.Application `json:"application,omitempty"`
	Choices     *decode.Choices    `json:"choices,omitempty"`
	Declared    []byte             `json:"declared,omitempty"` // see Document
	Commands    []model.Command    `json:"commands,omitempty"`
	Removals    []model.InstanceID `json:"removals,omitempty"`
	Built       *build.Result      `json:"built,omitempty"`
	Health      *model.Health      `json:"health,omitempty"`
	Template    *template          `json:"template,omitempty"`
	Problems    []model.Problem    `json:"problems,omitempty"`
}

// encoding is CBOR, which takes a third of the time of JSON: that would encode sources
// and nested JSON as text again. It has also the places that the JSON of the model omits.
var encoding, _ = cbor.EncOptions{Sort: cbor.SortBytewiseLexical}.EncMode() // there is that order

// encode encodes a request or an answer.
func encode(v any) []byte {
	data, err := encoding.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode %T: %w", v, err)) // its fields are plain values
	}
	return data
}

func (r result) encode() []byte {
	if r.Application != nil {
		r.Application = new(*r.Application)
		r.Application.Policy = nil // complete adds it, and the values in force
	}
	return encode(r)
}

// shared returns positions whose paths share memory with those of other applications:
// a fleet has thousands of applications, and their paths are nearly the same.
func shared(at model.Positions) model.Positions {
	out := make(model.Positions, len(at))
	for path, place := range at {
		out[unique.Make(path).Value()] = place
	}
	return out
}

func decodeAnswer(data []byte) (*result, error) {
	var r result
	if err := cbor.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("decode an answer: %w", err)
	}
	switch {
	case r.Application != nil:
		r.Application.At = shared(r.Application.At)
	case len(r.Problems)+len(r.Commands)+len(r.Removals)+len(r.Declared) == 0 && r.Platform == nil && r.Tenant == nil && r.Built == nil && r.Health == nil && r.Template == nil:
		return nil, errors.New("decode an answer: it has no result")
	}
	return &r, nil
}

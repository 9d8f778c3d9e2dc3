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

// An answer is an encoded result, with the fields that the JSON of the model omits.
type answer struct {
	result
	At      model.Positions     `json:"at,omitempty"`
	InForce []model.PolicyValue `json:"inForce,omitempty"`
}

// encoding is CBOR, which takes a third of the time of JSON: that would encode sources
// and nested JSON as text again.
var encoding = func() cbor.EncMode {
	mode, err := cbor.EncOptions{Sort: cbor.SortBytewiseLexical}.EncMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

// encode encodes a request or an answer.
func encode(v any) []byte {
	data, err := encoding.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode %T: %w", v, err)) // its fields are plain values
	}
	return data
}

func (r result) encode() []byte {
	a := answer{result: r}
	switch {
	case r.Platform != nil:
		a.At, a.InForce = r.Platform.At, r.Platform.Policy.InForce
	case r.Tenant != nil:
		a.At, a.InForce = r.Tenant.At, r.Tenant.Policy.InForce
	case r.Application != nil:
		bare := *r.Application
		bare.Policy = model.Policy{} // complete adds it
		a.Application, a.At = &bare, bare.At
	}
	return encode(a)
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
	var a answer
	if err := cbor.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("decode an answer: %w", err)
	}
	switch {
	case a.Platform != nil:
		a.Platform.At, a.Platform.Policy.InForce = a.At, a.InForce
	case a.Tenant != nil:
		a.Tenant.At, a.Tenant.Policy.InForce = a.At, a.InForce
	case a.Application != nil:
		a.Application.At = shared(a.At)
	case len(a.Problems)+len(a.Commands)+len(a.Removals)+len(a.Declared) == 0 && a.Built == nil && a.Health == nil && a.Template == nil:
		return nil, errors.New("decode an answer: it has no result")
	}
	return &a.result, nil
}

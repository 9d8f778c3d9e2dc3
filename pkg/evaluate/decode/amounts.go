package decode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// resourcesDoc is an amount of compute as written.
type resourcesDoc struct {
	CPU     string           `json:"cpu"`
	Memory  string           `json:"memory"`
	Devices map[string]int64 `json:"devices"`
}

// ceiling returns a limit on resources, nil if none is written. Both cpu and memory must
// be written, so that nobody has to guess the limit of the other.
func (d *resourcesDoc) ceiling(path string, own *layer.Layer) (*model.Resources, []model.Problem) {
	if d == nil || d.CPU == "" && d.Memory == "" && d.Devices == nil {
		return nil, nil
	}
	if d.CPU == "" || d.Memory == "" {
		return nil, []model.Problem{own.Blame(catalogue.Quota, path, "says only some of its resources; write both cpu and memory, or neither for no ceiling")}
	}
	r, problems := d.amount(path, own)
	if problems != nil {
		return nil, problems
	}
	return &r, nil
}

// amount returns the resources that are written at path.
func (d *resourcesDoc) amount(path string, own *layer.Layer) (model.Resources, []model.Problem) {
	r, err := d.resources()
	if err != nil {
		return r, []model.Problem{own.Blame(catalogue.Amount, path, err.Error())}
	}
	return r, nil
}

func (d *resourcesDoc) resources() (r model.Resources, err error) {
	if d == nil {
		return r, nil
	}
	if d.CPU != "" {
		if r.CPU, err = model.ParseCPU(d.CPU); err != nil {
			return model.Resources{}, err
		}
	}
	if d.Memory != "" {
		if r.Memory, err = model.ParseMemory(d.Memory); err != nil {
			return model.Resources{}, err
		}
	}
	for name, n := range d.Devices {
		if n != 0 {
			if r.Devices == nil {
				r.Devices = map[string]int64{}
			}
			r.Devices[name] = n
		}
	}
	return r, nil
}

// parts converts a decimal number to units of 1/of, exactly, and rounds down.
func parts(n json.Number, of int64) int64 {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return 0
	}
	r.Mul(r, new(big.Rat).SetInt64(of))
	q := new(big.Int).Quo(r.Num(), r.Denom())
	if !q.IsInt64() {
		return 0
	}
	return q.Int64()
}

const (
	thousandth = 1_000
	millionth  = 1_000_000
)

func duration(s string) time.Duration {
	d, _ := time.ParseDuration(s) // "" where it is optional; the schema has checked the rest
	return d
}

// durationOr is duration with a default for a value that is not written. 0s is a value.
func durationOr(s string, otherwise time.Duration) time.Duration {
	if s == "" {
		return otherwise
	}
	return duration(s)
}

// decode reads a document that the schema exports. A field that Go does not know is an
// error: a test keeps both in step.
func decode(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("decode what the schema exports: %w", err)
	}
	return nil
}

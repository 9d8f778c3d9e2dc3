package workflow

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// What steps may leave for others. It is kept in the ledger, so it is small: for
// more, leave a reference to where it is.
const (
	maxValue   = 4 << 10  // bytes of one output
	maxOutputs = 8 << 10  // of all outputs of a step
	maxRun     = 64 << 10 // of all outputs of a run
	maxMessage = 512
)

// inputs resolves what a step is given. An input whose step left nothing needs a
// value of its own.
func (list steps) inputs(declared []model.Input) ([]model.Value, error) {
	var values []model.Value
	for _, in := range declared {
		value, ok := list.input(in)
		if !ok {
			return nil, fmt.Errorf("input %s: nothing was left by %s; give it a value of its own for that case", in.Name, in.From)
		}
		values = append(values, model.Value{Name: in.Name, Value: value})
	}
	return values, nil
}

func (list steps) input(in model.Input) (value string, ok bool) {
	if in.From == "" {
		return in.Value, true
	}
	from, output, _ := strings.Cut(in.From, ".")
	if s := list.find(from); s != nil {
		if o, ok := model.Find(s.rec.Outputs, output); ok {
			return o.Value, true
		}
	}
	return in.Value, in.Value != ""
}

// outputs takes what the step is to leave out of its result.
func (s *step) outputs(r *Result) ([]model.Value, error) {
	if r == nil {
		return nil, nil
	}
	var values []model.Value
	sum, rest := 0, maxRun
	for _, other := range s.x.steps {
		if other.Name != s.Name {
			rest -= sizeOf(other.rec.Outputs)
		}
	}
	for _, o := range s.Outputs {
		v := r.part(o.From)
		v = text.Lines(v, len(v)) // whole: one that is too long is refused, not cut
		if len(v) > maxValue {
			return nil, fmt.Errorf("output %s has %d bytes, at most %d are kept: leave a reference instead", o.Name, len(v), maxValue)
		}
		sum += len(v)
		values = append(values, model.Value{Name: o.Name, Value: v})
	}
	if sum > maxOutputs {
		return nil, fmt.Errorf("its outputs have %d bytes together, at most %d are kept: leave references instead", sum, maxOutputs)
	}
	if sum > rest {
		return nil, fmt.Errorf("the outputs of the run have more than %d bytes together: leave references instead", maxRun)
	}
	return values, nil
}

func sizeOf(values []model.Value) (n int) {
	for _, v := range values {
		n += len(v.Value)
	}
	return n
}

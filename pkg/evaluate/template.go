package evaluate

import (
	"errors"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
)

// Template returns what the template of a definition of KubeVela comes to with values, within the limits of an evaluation: see
// layer.Template.
func (e *Evaluator) Template(source string, values []byte) ([]byte, error) {
	r := request{Layer: "template", Files: []layer.Source{{Data: []byte(source)}}, Live: values}
	answer, err := e.ask("", keyOf("template", source, string(values)), r)
	var exhausted *Exhausted
	switch {
	case errors.As(err, &exhausted):
		return nil, errors.New("its template needs too much " + string(exhausted.Limit))
	case err != nil:
		return nil, err
	case answer.Template == nil:
		return nil, errors.New("evaluate a template: the answer is about something else")
	case answer.Template.Why != "":
		return nil, errors.New(answer.Template.Why)
	}
	return answer.Template.JSON, nil
}

// A template is what a template comes to, or why it comes to nothing.
type template struct {
	JSON []byte `json:"json,omitempty"`
	Why  string `json:"why,omitempty"`
}

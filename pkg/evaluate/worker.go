package evaluate

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// A Worker answers the requests of an evaluator in another process. It is for one
// goroutine at a time.
type Worker struct{ forms []madeForm }

// A madeForm is the form of a policy, made when the policy comes a second time.
type madeForm struct {
	policy string
	made   bool
	form   form
}

// keptForms bounds the memory that a worker keeps.
const keptForms = 4

// Answer evaluates what the request says. The error says that it is no request.
func (w *Worker) Answer(data []byte) ([]byte, error) {
	var r request
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("decode a request: %w", err)
	}
	switch r.Layer {
	case "platform":
		return mustEncode(evaluatePlatform(sources(r.Files)).answer()), nil
	case "tenant":
		above, problems := newLayer("platform", sources(r.Above))
		if len(problems) > 0 {
			return nil, fmt.Errorf("answer a request: the platform above %s is not valid", r.Tenant)
		}
		return mustEncode(evaluateTenant(r.Tenant, sources(r.Files), &above).answer()), nil
	case "application":
		in := applicationInput{app: model.AppID{Tenant: r.Tenant, Name: r.Name}, files: sources(r.Files), policy: r.Policy, form: w.form(r.Policy), rest: r.Rest, source: r.Source}
		return mustEncode(guarded(in).answer()), nil
	}
	return nil, fmt.Errorf("answer a request: there is no layer %q", r.Layer)
}

// form returns the form of a policy. Making it costs as much as an application,
// so the first one under a policy goes without.
func (w *Worker) form(policy []byte) form {
	i := slices.IndexFunc(w.forms, func(f madeForm) bool { return f.policy == string(policy) })
	if i < 0 {
		w.forms = append(w.forms[max(0, len(w.forms)-keptForms+1):], madeForm{policy: string(policy)})
		return form{}
	}
	f := &w.forms[i]
	if !f.made {
		f.form, f.made = newForm(policy), true
	}
	return f.form
}

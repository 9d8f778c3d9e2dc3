package status

import (
	"encoding/json"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// specRecord is the file of a spec. Its policy is read by itself: most applications of a tenant have the same one.
type specRecord struct {
	model.Application
	Policy json.RawMessage `json:"policy"`
}

// policy returns the policy that a spec has as JSON. Equal ones are decoded once, and share their memory.
func (r *reader) policy(b json.RawMessage) (*model.Policy, error) {
	if b == nil {
		return new(model.Policy), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.policies[string(b)]; ok {
		return known, nil
	}
	policy := new(model.Policy)
	if _, err := decode(b, policy, false); err != nil {
		return nil, err
	}
	if r.policies == nil {
		r.policies = map[string]*model.Policy{}
	}
	r.policies[string(b)] = policy
	return policy, nil
}

// spec reads a spec, and the digest that the record names. Nobody believes that one:
// the spec has the digest that follows from its content.
func (r *reader) spec(name string, app model.AppID, held *model.Application) (spec *model.Application, recorded model.Digest, err error) {
	if r.same(name) {
		return held, held.Digest, nil
	}
	rec, err := about(r, name, app, func(s *specRecord) model.AppID { return s.ID })
	if rec == nil {
		return nil, "", err
	}
	a := new(rec.Application)
	if a.Policy, err = r.policy(rec.Policy); err != nil {
		return nil, "", r.unreadable(name, err)
	}
	if held != nil && a.Policy.Equal(held.Policy) {
		a.Policy = held.Policy // a process that follows the branch reads one spec at a time
	}
	for i := range a.Components {
		if !label.MatchString(a.Components[i].Name) {
			return nil, "", damaged(r.format.name(name), fmt.Errorf("%q cannot name a component", a.Components[i].Name))
		}
	}
	if recorded, *a = a.Digest, a.Seal(); recorded != a.Digest {
		r.noteFormer(name)
	}
	return a, recorded, nil
}

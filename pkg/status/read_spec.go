package status

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/d-aros/d-aros/pkg/model"
)

// specRecord is the file of a spec. Its policy is read by itself: most applications of a tenant have the same one.
type specRecord struct {
	model.Application
	Policy json.RawMessage `json:"policy"`
}

// policies are those of the specs that were read, by their bytes. Equal ones are decoded once, and share their memory.
type policies struct {
	mu   sync.Mutex
	read map[string]*model.Policy
}

// of returns the policy that a spec has as JSON, which is valid.
func (p *policies) of(b json.RawMessage) (*model.Policy, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if policy, ok := p.read[string(b)]; ok || b == nil {
		return policy, nil
	}
	policy := new(model.Policy)
	if err := decodeStrictly(b, policy); err != nil {
		return nil, err
	}
	compactRecord(reflect.ValueOf(policy))
	if p.read == nil {
		p.read = map[string]*model.Policy{}
	}
	p.read[string(b)] = policy
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
	if a.Policy, err = r.policies.of(rec.Policy); err != nil {
		return nil, "", r.unreadable(name, err)
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

package offline

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// platformFields are the fields of the platform that can be changed.
func platformFields(fleet *model.Fleet, p *model.Platform) fields {
	f := fields{"policy.history.halfLife": func(c Setting) error {
		half, err := time.ParseDuration(c.value)
		switch {
		case c.sign != 0 || err != nil || half != 0 && (half < model.LeastHalfLife || half > model.MostHalfLife):
			return fmt.Errorf("%s: write a half-life from 1h to 8760h, or 0s for none", c.text)
		}
		p.HalfLife = half
		return nil
	}}
	f.policy(fleet, "", &p.Policy)
	p.Pools = slices.Clone(p.Pools)
	for i := range p.Pools {
		f.shares(&p.Pools[i])
	}
	return f
}

// shares adds how many shares a pool makes of each of its devices.
func (f fields) shares(p *model.PoolSpec) {
	path := "pools." + p.Name + ".shares."
	for device := range p.Shares {
		f[path+device] = nil
	}
	f[path+"*"] = func(c Setting) error {
		device, shared := c.path, model.SharesOf(c.path)
		if p.Capacity == nil {
			return fmt.Errorf("%s: the nodes of pool %s say what they offer; write --capacity %s.%s=…", c.text, p.Name, p.Name, shared)
		}
		was := max(1, p.Shares[device])
		each, err := c.number(p.Shares[device], 2, parseCount)
		if err != nil {
			return err
		}
		whole := p.Capacity.Get(device) + p.Capacity.Get(shared)/was
		if whole == 0 {
			return fmt.Errorf("%s: the capacity of pool %s has no %s", c.text, p.Name, device)
		}
		p.Shares = maps.Clone(p.Shares)
		if p.Shares == nil {
			p.Shares = map[string]int64{}
		}
		p.Shares[device] = each
		capacity := *p.Capacity
		capacity.Devices = maps.Clone(capacity.Devices)
		delete(capacity.Devices, shared)
		capacity.Devices[device] = whole
		capacity = capacity.Shared(map[string]int64{device: each})
		p.Capacity = &capacity
		return nil
	}
}

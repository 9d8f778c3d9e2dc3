package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Capacity changes the capacity of a pool.
type Capacity struct {
	Setting
	pool, resource string
}

// ParseCapacity reads POOL.RESOURCE=[+|-]AMOUNT, where "domains" stands for the number of zones or racks of the pool.
func ParseCapacity(texts []string) ([]Capacity, error) {
	var list []Capacity
	for _, text := range texts {
		c, err := ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("--capacity: %w", err)
		}
		pool, resource, ok := strings.Cut(c.path, ".")
		if !ok || !slices.Contains([]string{"cpu", "memory", poolDomains}, resource) && !strings.Contains(resource, "/") {
			return nil, fmt.Errorf("--capacity %s: write POOL.cpu, POOL.memory, POOL.DEVICE or POOL.domains, for example general.cpu=+64", text)
		}
		list = append(list, Capacity{c, pool, resource})
	}
	return list, nil
}

// poolDomains stands for the number of zones or racks of a pool.
const poolDomains = "domains"

// domains sets the number of domains of a pool. All get the same capacity.
func (e Capacity) domains(p *model.Pool) error {
	n, err := e.number(int64(len(p.Domains)), 0, parseCount)
	if err != nil {
		return err
	}
	if n > 1000 {
		return fmt.Errorf("%s: at most 1000 are possible", e.text)
	}
	p.Domains = make([]model.Domain, n)
	for i := range p.Domains {
		p.Domains[i] = model.Domain{
			Name: fmt.Sprintf("domain-%03d", i+1), Nodes: max(1, p.Nodes/int(n)),
			Capacity: model.Resources{CPU: p.Capacity.CPU / n, Memory: p.Capacity.Memory / n},
		}
		for name, has := range p.Capacity.Devices {
			p.Domains[i].Capacity = p.Domains[i].Capacity.With(name, has/n)
		}
	}
	return nil
}

// apply changes the named pool.
func (e Capacity) apply(pools []model.Pool) (err error) {
	p, ok := model.Find(pools, e.pool)
	switch {
	case !ok:
		return fmt.Errorf("--capacity %w", e.unknown("pool", e.pool, model.Names(pools)))
	case e.resource == poolDomains:
		return e.domains(p)
	}
	p.Capacity, err = e.amount(p.Capacity, e.resource)
	return err
}

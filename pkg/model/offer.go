package model

import (
	"slices"
	"strings"
)

// AddNode adds what a node offers to a pool, and to the topology domain that the label of a key names; "" for no domains.
func (p *Pool) AddNode(offer Resources, labels map[string]string, key string) {
	p.Nodes++
	p.Capacity, p.Largest = p.Capacity.Add(offer), p.Largest.Max(offer)
	name, labelled := labels[key]
	if key == "" || !labelled {
		return
	}
	i, known := slices.BinarySearchFunc(p.Domains, name, func(d Domain, name string) int { return strings.Compare(d.Name, name) })
	if !known {
		p.Domains = slices.Insert(p.Domains, i, Domain{Name: name})
	}
	p.Domains[i].Nodes++
	p.Domains[i].Capacity = p.Domains[i].Capacity.Add(offer)
}

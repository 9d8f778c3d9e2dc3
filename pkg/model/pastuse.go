package model

import (
	"fmt"
	"slices"
	"time"
)

// PastUse is what tenants and groups had of all capacity, which counts the less the longer ago it was: by half after
// each half-life. The ledger has it while the platform lets weights follow it.
type PastUse struct {
	At       time.Time     `json:"at"`              // until when use is counted
	HalfLife time.Duration `json:"halfLife"`        // by which it is counted
	Anew     time.Time     `json:"anew,omitzero"`   // when it began, as the record before had been changed by hand
	Nodes    []NodeUse     `json:"nodes,omitempty"` // groups and then tenants that had something, each by name
	Digest   Digest        `json:"digest"`          // of all the others
}

// NodeUse is the past use of one of them.
type NodeUse struct {
	Tenant string `json:"tenant,omitempty"` // "" of a group
	Group  string `json:"group,omitempty"`  // "" of a tenant
	Used   int64  `json:"used"`             // dominant share times time: millionths of a second of all capacity
	Step   int    `json:"step"`             // its weight is scaled by 2 to the power of so many sixteenths,
	Factor int    `json:"factor"`           // which are so many thousandths
}

// Steps of a weight without past use, and of the least weight.
const (
	MostStep  = 16
	LeastStep = -32
)

// Bounds of half-lives, for which fuller words stand in the schema.
const (
	LeastHalfLife = time.Hour
	MostHalfLife  = 8760 * time.Hour
)

// PastWrites is how often past use is written in a half-life where nothing else is.
const PastWrites = 64

// Seal sets the digest.
func (p *PastUse) Seal() *PastUse {
	p.Digest = p.digest()
	return p
}

func (p *PastUse) digest() Digest {
	whole := *p
	whole.Digest = ""
	return DigestOf(whole)
}

// Intact reports whether a program wrote the record, and nobody changed it since.
func (p *PastUse) Intact() bool {
	return p.HalfLife >= LeastHalfLife && p.HalfLife <= MostHalfLife && !p.At.IsZero() && p.Digest == p.digest()
}

// Due reports whether the record is to be written at the time now although nobody has more or less than before.
func (p *PastUse) Due(halfLife time.Duration, now time.Time) bool {
	return p.HalfLife != halfLife || now.Before(p.At) || !now.Before(p.At.Add(halfLife/PastWrites)) || !p.Intact()
}

// average is what it had of all capacity on average, in thousandths, by a half-life.
func (n *NodeUse) average(half time.Duration) int {
	all := half.Microseconds() / 693_147 * 1_000_000 // divided by the logarithm of 2
	if all <= 0 {
		return 0
	}
	return int((min(max(n.Used, 0), all)*1000 + all/2) / all)
}

// PastOf returns what the ledger says of a tenant's past use, nil if its weight does not follow it.
func (l *Ledger) PastOf(tenant string) *PastShare {
	t, declared := Find(l.Tenants, tenant)
	if l.PastUse == nil || !declared {
		return nil
	}
	u := NodeUse{Factor: 2000} // it had nothing
	if i := slices.IndexFunc(l.PastUse.Nodes, func(n NodeUse) bool { return n.Group == "" && n.Tenant == tenant }); i >= 0 {
		u = l.PastUse.Nodes[i]
	}
	return &PastShare{Of: tenant, Used: u.average(l.PastUse.HalfLife), Weight: t.Weight, Scaled: t.Weight * u.Factor}
}

// PastShare is what a tenant or a group had of all capacity on average, and what that makes of its weight.
type PastShare struct {
	Of     string `json:"of"`
	Used   int    `json:"used"`   // thousandths of all capacity
	Weight int    `json:"weight"` // declared
	Scaled int    `json:"scaled"` // the weight that counts, in thousandths
}

// Counts writes the weight that counts: "1.41".
func (p PastShare) Counts() string { return fmt.Sprintf("%d.%02d", p.Scaled/1000, p.Scaled%1000/10) }

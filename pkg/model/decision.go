package model

import (
	"slices"
	"time"
)

// Ruling is the outcome of one arbitration: a decision for every application
// that is declared or holds a grant.
type Ruling struct {
	Decisions []Decision
	OverQuota []OverQuota `json:",omitempty"` // of groups and then of tenants, each by name; Since is not set
	PastUse   *PastUse    `json:",omitempty"` // as the ledger is to have it when it is written; nil: weights do not follow it
}

// Find returns the decision about an application.
func (r *Ruling) Find(app AppID) (*Decision, bool) { return Find(r.Decisions, app) }

// Verdict is the result of arbitration for an application.
type Verdict string

const (
	VerdictGranted  Verdict = "granted"  // it may run with the grants given
	VerdictWaiting  Verdict = "waiting"  // admitted, but short of capacity
	VerdictRejected Verdict = "rejected" // quota, ceiling or policy refuses it
	VerdictEvicted  Verdict = "evicted"  // it ran and loses its place
)

// Reason is a constant word for why something is so. The sentence for people
// stands beside it in a message.
type Reason string

// With returns the reason and the sentence that goes with it.
func (r Reason) With(sentence string) string {
	if sentence == "" {
		return string(r)
	}
	return string(r) + ": " + sentence
}

// Reasons of decisions.
const (
	ReasonFits                Reason = "Fits"
	ReasonCapacityShort       Reason = "CapacityShort"
	ReasonQuotaExceeded       Reason = "QuotaExceeded"
	ReasonTooManyApplications Reason = "TooManyApplications"
	ReasonTooManyWorkloads    Reason = "TooManyWorkloads"
	ReasonPriorityTooHigh     Reason = "PriorityTooHigh"
	ReasonShareExceeded       Reason = "ShareExceeded"
	ReasonBudgetExceeded      Reason = "BudgetExceeded"
	ReasonNoPool              Reason = "NoPool"
	ReasonPoolTooSmall        Reason = "PoolTooSmall"
	ReasonNodeTooSmall        Reason = "NodeTooSmall"
	ReasonTooFewDomains       Reason = "TooFewDomains"
	ReasonDomainTooSmall      Reason = "DomainTooSmall"
	ReasonInvalidSpec         Reason = "InvalidSpec"
	ReasonRemovalHeld         Reason = "RemovalHeld"
	ReasonMoveWaits           Reason = "MoveWaits"
	ReasonRecordDamaged       Reason = "RecordDamaged"
	ReasonRolledBackSpec      Reason = "RolledBackSpec"
	ReasonLimitExceeded       Reason = "LimitExceeded"
	ReasonAbsurdAmount        Reason = "AbsurdAmount"
	ReasonPreempted           Reason = "Preempted"
)

// Decision is the verdict of one arbitration for one application, with its
// inputs and why. It is written to the status branch whole.
type Decision struct {
	App     AppID   `json:"application"`
	Verdict Verdict `json:"verdict"`
	Reason  Reason  `json:"reason"`
	Message string  `json:"message"`

	Spec     Digest  `json:"spec"`               // the spec that the verdict is about
	Degraded bool    `json:"degraded,omitempty"` // the grants are less than the spec asks for
	Position int     `json:"position,omitempty"` // place among the pending applications of its tenant, from 1
	Grants   []Grant `json:"grants,omitempty"`   // by component

	// PassedOver are the flavours that come before the granted one, or all where nothing is granted, and why each was
	// not taken.
	PassedOver []PassedOver `json:"passedOver,omitempty"`

	// Refused is set when Git holds a newer spec that was not accepted, so
	// that Spec is an older one.
	Refused *Refusal `json:"refused,omitempty"`

	// EvictAt is when the application is evicted if the shortage lasts.
	EvictAt time.Time `json:"evictAt,omitzero"`

	// Starts is when an application that waits starts, nil: that is not known.
	Starts *Forecast `json:"starts,omitempty"`

	// Takes is what an application that waits may take of others later, though its tenant then has more than its fair
	// share, nil: nothing.
	Takes *Taking `json:"takes,omitempty"`

	// Standing classifies the application's minimum. Shares are the shares of its
	// tenant and of the groups above it.
	Standing Standing      `json:"standing,omitempty"`
	Shares   []TenantShare `json:"shares,omitempty"`
	Past     []PastShare   `json:"past,omitempty"` // what the weights of these follow from, nil: from what is declared alone
	For      string        `json:"for,omitempty"`  // in whose favour it was reduced or evicted

	Inputs      Inputs         `json:"inputs"`
	Constraints []Constraint   `json:"constraints,omitempty"` // in the order they were checked
	Policies    []PolicyValue  `json:"policies,omitempty"`
	Displaced   []Displacement `json:"displaced,omitempty"`
	BlockedBy   []AppID        `json:"blockedBy,omitempty"`
	Ahead       []Competitor   `json:"ahead,omitempty"`      // the applications of BlockedBy, with what they hold and their shares
	WouldAdmit  []string       `json:"wouldAdmit,omitempty"` // of an older program: changes, each sufficient alone when it was decided

	// Advice are changes, each sufficient alone, those first that cost others least. Advised is nil where
	// nothing is lacking, or nothing was tried yet.
	Advice  []Advice `json:"advice,omitempty"`
	Advised *Advised `json:"advised,omitempty"`

	Revision Revision `json:"-"`
}

// RulesAs reports whether two decisions rule the same about an application. Why they do
// does not count: their inputs, their wording, and what else happened for it.
func (d *Decision) RulesAs(o *Decision) bool {
	return d.Verdict == o.Verdict && d.Reason == o.Reason && d.Spec == o.Spec && d.Degraded == o.Degraded && d.Position == o.Position &&
		d.Refused.Equal(o.Refused) && d.EvictAt.Equal(o.EvictAt) && d.Starts.Equal(o.Starts) && d.Takes.Equal(o.Takes) && d.For == o.For && slices.EqualFunc(d.Grants, o.Grants, Grant.Equal)
}

// Standing classifies the least that an application can run at against the share
// of its tenant.
type Standing string

const (
	StandingWithinGuarantee Standing = "within guarantee"  // it fits in what the tenant is guaranteed
	StandingWithinFairShare Standing = "within fair share" // it fits in the tenant's fair share
	StandingWithinSlack     Standing = "within slack"      // it exceeds the fair share by so little that nothing is preempted for that
	StandingBorrowing       Standing = "borrowing"         // it exceeds the fair share
)

// Grant is what a decision gives to one component.
type Grant struct {
	Component string    `json:"component"`
	Replicas  int       `json:"replicas"`
	Surge     int       `json:"surge,omitempty"` // additional replicas, for a second version while a workflow switches from one to the other
	Requests  Resources `json:"requests"`        // of one replica: what is counted
	QoS       string    `json:"qos"`
	Pool      string    `json:"pool,omitempty"`
	Domains   []string  `json:"domains,omitempty"` // where there was room, for a component that asks to be spread: a hint; the one in which a gang stands

	// Told is what the objects request where that is something else: a default of policy
	// counts at once, and reaches the objects with the next release.
	Told *Resources `json:"told,omitempty"`
}

// AsTold returns g as the objects have it.
func (g Grant) AsTold() Grant {
	if g.Told != nil {
		g.Requests, g.Told = *g.Told, nil
	}
	return g
}

// Equal reports whether two grants are the same in every field.
func (g Grant) Equal(o Grant) bool { return g.SameCapacity(o) && slices.Equal(g.Domains, o.Domains) }

// SameCapacity reports whether two grants take the same of the same pool. Domains are
// hints and do not count.
func (g Grant) SameCapacity(o Grant) bool {
	return g.Component == o.Component && g.Replicas == o.Replicas && g.Surge == o.Surge && g.QoS == o.QoS && g.Pool == o.Pool &&
		g.Requests.Equal(o.Requests) && (g.Told == o.Told || g.Told != nil && o.Told != nil && g.Told.Equal(*o.Told))
}

// Competitor is an application that holds capacity that another one lacks.
type Competitor struct {
	App       AppID    `json:"application"`
	Holds     string   `json:"holds"` // of the resource that is short: "8 cpu"
	Standing  Standing `json:"standing"`
	Share     int      `json:"share"`    // of its tenant, in thousandths of all capacity
	FairShare int      `json:"entitled"` // the fair share of its tenant, in thousandths too
}

// TenantShare is the dominant share of a tenant or a group, in thousandths of all capacity.
type TenantShare struct {
	Of         string `json:"of"`
	Used       int    `json:"used"`
	Guaranteed int    `json:"guaranteed,omitempty"`
	FairShare  int    `json:"entitled"`
	Weight     int    `json:"weight,omitempty"`
}

// PassedOver is a flavour that was not taken.
type PassedOver struct {
	Pool string `json:"pool"` // as Application.FlavourPools names it
	Why  string `json:"why"`  // needs 4 nvidia.com/gpu in pool h100, where 2 is free
}

// Refusal is why a newer spec was not accepted.
type Refusal struct {
	// Spec is the digest of the spec in a decision, and its release in the record of an
	// instance. It is "" if the spec could not be evaluated.
	Spec    Digest    `json:"spec,omitempty"`
	Reason  Reason    `json:"reason"`
	Message string    `json:"message"`
	Since   time.Time `json:"since,omitzero"`   // in the record of an instance: when it was refused first
	MovesTo AppID     `json:"movesTo,omitzero"` // MoveWaits, in the record of an instance: the application that Git has in its place
}

// Equal reports whether two refusals are the same; nil is none.
func (r *Refusal) Equal(o *Refusal) bool { return r == o || r != nil && o != nil && *r == *o }

// Inputs are what a decision was computed from.
type Inputs struct {
	Commit   string `json:"commit"`   // of the source branch
	Policy   Digest `json:"policy"`   // effective policy of the application and quota of its tenant
	Capacity Digest `json:"capacity"` // observed pools

	// At is when it was decided: with the ledger before and what the commit that
	// wrote the decision holds, that is all it takes to decide again.
	At time.Time `json:"at,omitzero"`
}

// Constraint is one check of the gate or of capacity.
type Constraint struct {
	Name  string `json:"name"` // quota.cpu, limits.priorityCeiling, pool.general.memory
	Asked string `json:"asked"`
	Used  string `json:"used,omitempty"` // by others, before this application
	Limit string `json:"limit"`
	OK    bool   `json:"ok"`
	Short string `json:"shortfall,omitempty"`
	At    string `json:"at,omitempty"` // file:line:column where the limit is set
}

// Displacement is a reduction of one application in favour of another.
type Displacement struct {
	App  AppID  `json:"application"`
	From string `json:"from"`
	To   string `json:"to"`
	Why  string `json:"why"`
}

package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Outcome is why a runtime does not carry an object of an application as it was told.
// Outcomes that differ in their objects only are one.
type Outcome struct {
	Object    string    `json:"object"`            // the first one by name: Deployment acme/web
	Objects   int       `json:"objects,omitempty"` // how many there are, if more than one
	Component string    `json:"component,omitempty"`
	Reason    Reason    `json:"reason"`          // see the Outcome constants
	Field     string    `json:"field,omitempty"` // the path that it is about
	Message   string    `json:"message"`         // never has a value of the object
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`          // attempt, when the set of outcomes changed last
	Next      time.Time `json:"next,omitzero"` // attempt after that; zero: the runtime tries by itself
}

// OutcomeLimit bounds Instance.Outcomes and Instance.Drift.
const OutcomeLimit = 20

// Reasons of outcomes.
const (
	OutcomeImmutable        Reason = "Immutable"
	OutcomeInvalid          Reason = "Invalid"
	OutcomeForbidden        Reason = "Forbidden"
	OutcomeQuotaExceeded    Reason = ReasonQuotaExceeded
	OutcomeWebhookRefused   Reason = "WebhookRefused"
	OutcomeWebhookTimeout   Reason = "WebhookTimeout"
	OutcomeKindUnknown      Reason = "KindUnknown"
	OutcomeForeign          Reason = "Foreign"
	OutcomeConflict         Reason = "Conflict"
	OutcomeImageUnavailable Reason = "ImageUnavailable"
	OutcomeSecretMissing    Reason = "SecretMissing"
	OutcomeSecretUnreadable Reason = "SecretUnreadable"
	OutcomeKeyUnreadable    Reason = "KeyUnreadable"
	OutcomeNothingAdopted   Reason = "NothingAdopted"
	OutcomeRefused          Reason = "Refused"

	OutcomeReservationReduced Reason = "ReservationReduced"
	OutcomeSettingRefused     Reason = "SettingRefused"
	OutcomeEvictionAsked      Reason = "EvictionAsked"
)

// OutcomeKind explains a reason of outcomes.
type OutcomeKind struct {
	Reason Reason
	Means  string
	Do     string // what people can do
	Final  bool   // another attempt at the same object has the same outcome
}

// OutcomeKinds explains all reasons of outcomes, the final ones first.
var OutcomeKinds = []OutcomeKind{
	{OutcomeImmutable, "the object exists, and a field that differs cannot be changed", "delete the object, or give it another name", true},
	{OutcomeInvalid, "the API server finds the object invalid", "correct the field in Git", true},
	{OutcomeKindUnknown, "the cluster does not know the kind", "install the definition of the kind, or remove the object from Git", true},
	{OutcomeSecretUnreadable, "an encrypted file in Git is not as it was encrypted, or cannot be read", "encrypt the file with sops again", true},
	{OutcomeForeign, "the object exists, and D-AROS did not create it", "remove or rename one of the two objects", true},
	{OutcomeForbidden, "the reconciler may not write the object, or a policy of the cluster forbids it", "ask the owner of the cluster for the right, or change the object", false},
	{OutcomeQuotaExceeded, "a ResourceQuota of the namespace is used up", "ask for less, or for a higher quota", false},
	{OutcomeWebhookRefused, "an admission webhook refuses the object", "change the object as the webhook says", false},
	{OutcomeWebhookTimeout, "an admission webhook does not answer", "repair the webhook; nothing is wrong with the object", false},
	{OutcomeConflict, "another owner, a deletion or a change at the same moment is in the way", "wait, or remove or rename one of the two objects", false},
	{OutcomeImageUnavailable, "an image cannot be pulled", "correct the name of the image, or the access to its registry", false},
	{OutcomeSecretMissing, "pods name a Secret or a key of one that the namespace does not have, or an external secret is not made", "create the Secret, or correct its name in Git; of an external secret, look at the store and at its keys", false},
	{OutcomeKeyUnreadable, "the reconciler has no key for an encrypted file, or cannot read its keys", "ask the owner of the reconciler for a key (--sops-age-keys), or encrypt the file for one that it has", false},
	{OutcomeNothingAdopted, "an entry of `application.adopt` takes no object; nothing else of the application is concerned", "correct the entry, or take it out", false},
	{OutcomeReservationReduced, "a node does not keep a reservation: it is too small, its kernel has no such protection, or others take the time", "reserve less, bring larger nodes, or move what takes it; the workload runs on with what there is", false},
	{OutcomeSettingRefused, "the kernel of a node refuses a setting of the plan", "read the sentence; `nodeagent status` on the node shows all settings", false},
	{OutcomeEvictionAsked, "a node stays short of memory, and asks for the end of a workload that gives way", "end or move it, or give the node more memory; nothing is ended by itself", false},
	{OutcomeRefused, "the API server refuses the object for another reason", "read the sentence", false},
}

// Final reports whether another attempt at the same object has the same outcome.
func (o *Outcome) Final() bool {
	i := slices.IndexFunc(OutcomeKinds, func(k OutcomeKind) bool { return k.Reason == o.Reason })
	return i >= 0 && OutcomeKinds[i].Final
}

// Concerns reports whether an object is not in the cluster as it is to be: not so an entry of
// application.adopt that takes none, and what nodes do not keep.
func (o *Outcome) Concerns() bool { return o.Reason != OutcomeNothingAdopted && !o.OfNodes() }

// OfNodes reports whether nodes do not keep what the component was promised, or ask for its end.
func (o *Outcome) OfNodes() bool {
	return o.Reason == OutcomeReservationReduced || o.Reason == OutcomeSettingRefused || o.Reason == OutcomeEvictionAsked
}

// rank orders outcomes: final ones, others, and those that concern no object.
func (o *Outcome) rank() int {
	switch {
	case o.Final():
		return 0
	case o.Concerns():
		return 1
	}
	return 2
}

// SameCause reports whether two outcomes differ in their objects and times at most.
func (o *Outcome) SameCause(p *Outcome) bool {
	return o.Component == p.Component && o.Reason == p.Reason && o.Field == p.Field
}

// FoldOutcomes makes one outcome of those with one cause, and returns at most
// OutcomeLimit of them, final ones first and those that concern no object last.
func FoldOutcomes(all []Outcome) (folded []Outcome) {
	slices.SortStableFunc(all, func(a, b Outcome) int {
		return cmp.Or(strings.Compare(a.Component, b.Component), strings.Compare(string(a.Reason), string(b.Reason)),
			strings.Compare(a.Field, b.Field), strings.Compare(a.Object, b.Object))
	})
	for _, o := range all {
		if n := len(folded); n > 0 && folded[n-1].SameCause(&o) {
			folded[n-1].Objects = max(folded[n-1].Objects, 1) + max(o.Objects, 1)
			continue
		}
		folded = append(folded, o)
	}
	slices.SortStableFunc(folded, func(a, b Outcome) int { return a.rank() - b.rank() })
	return folded[:min(len(folded), OutcomeLimit)]
}

// Drift is what others changed of an object, and we changed back.
type Drift struct {
	Object  string    `json:"object"`
	Fields  []string  `json:"fields,omitempty"`  // none: the whole object was gone
	Manager string    `json:"manager,omitempty"` // the field manager that changed them; "" if nobody says
	Count   int       `json:"count"`             // of corrections up to Time
	Time    time.Time `json:"time"`              // of the last correction that was saved
}

// SameCause reports whether the same fields of an object were changed by the same
// manager.
func (d *Drift) SameCause(e *Drift) bool {
	return d.Object == e.Object && d.Manager == e.Manager && slices.Equal(d.Fields, e.Fields)
}

// Applied is what the last attempt to apply the objects of an instance came to, as far
// as the ledger may not have it yet.
type Applied struct {
	App      AppID     `json:"app"`
	Instance int       `json:"instance"`
	Release  Digest    `json:"release"` // of the spec that the objects are of
	Outcomes []Outcome `json:"outcomes,omitempty"`
	Partial  bool      `json:"partial,omitempty"` // objects were not tried, so their outcomes stay
	Drift    []Drift   `json:"drift,omitempty"`   // corrections since the ledger has them
}

// About reports whether the attempt was at what an instance is to run.
func (a *Applied) About(inst *Instance) bool {
	return a.Instance == inst.Number && a.Release == inst.Release()
}

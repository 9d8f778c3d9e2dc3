package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Advice is a change that alone gives an application what it lacks: a place, everything that it asks for, or its
// newer spec. It was found by arbitrating with it.
type Advice struct {
	Change   string    `json:"change"`             // its kind: request, replicas, minReplicas, pool, flavour, spread, together, budget, time, priority, quota, guarantee or capacity
	By       string    `json:"by"`                 // who can make it: owner, tenant or platform
	Amount   string    `json:"amount"`             // what to set, or of capacity what to add: 9, 512Mi, batch
	Was      string    `json:"was,omitempty"`      // what is set now
	Text     string    `json:"text"`               // the change in words
	Settings []Setting `json:"settings,omitempty"` // that try the change in a what-if, none where it cannot be tried there
	Victims  []Victim  `json:"victims,omitempty"`  // who gives way for it, by name
}

// Setting is a change that a what-if can make: with --set or --capacity.
type Setting struct {
	Kind  string `json:"kind"` // set or capacity
	Path  string `json:"path"`
	Value string `json:"value"`
}

// adviceKinds are the kinds of changes, with what each is called.
var adviceKinds = map[string]string{
	"request": "a smaller request", "replicas": "fewer replicas", "minReplicas": "a smaller minReplicas", "pool": "another pool",
	"spread": "fewer domains", "together": "several domains", "budget": "a larger budget", "priority": "another priority", "quota": "a larger quota",
	"guarantee": "a larger guarantee", "capacity": "more capacity", "flavour": "another flavour", "time": "waiting, or a shorter run",
}

// Who can make a change.
const (
	ByOwner    = "owner"
	ByTenant   = "tenant"
	ByPlatform = "platform"
)

// Victim is an application that would give way.
type Victim struct {
	App      AppID  `json:"application"`
	Evicted  bool   `json:"evicted,omitempty"` // false: it would be degraded
	Replicas int    `json:"replicas"`          // that it would lose
	Amount   string `json:"amount,omitempty"`  // what they take: 24 cpu
}

// Advised says what the advice of a decision was made of.
type Advised struct {
	At      time.Time `json:"at"`                // when it was made
	Checked time.Time `json:"checked"`           // since when Changed says what it says
	Kinds   []string  `json:"kinds"`             // that were tried
	On      []Basis   `json:"on"`                // what it depends on
	Changed []string  `json:"changed,omitempty"` // names of those that are otherwise now: the advice is made again
}

// Basis is a part of the inputs that advice depends on.
type Basis struct {
	Name   string `json:"name"` // pool batch
	Digest string `json:"digest,omitempty"`
}

// Equal reports whether advice was made of the same, and is as good.
func (a *Advised) Equal(o *Advised) bool {
	return a == o || a != nil && o != nil && a.At.Equal(o.At) && a.Checked.Equal(o.Checked) && slices.Equal(a.Kinds, o.Kinds) &&
		slices.Equal(a.On, o.On) && slices.Equal(a.Changed, o.Changed)
}

// Equal reports whether two changes are the same, with the same price.
func (a Advice) Equal(o Advice) bool {
	return a.Change == o.Change && a.By == o.By && a.Amount == o.Amount && a.Was == o.Was && a.Text == o.Text &&
		slices.Equal(a.Settings, o.Settings) && slices.Equal(a.Victims, o.Victims)
}

// SameAdvice reports whether two decisions advise the same.
func (d *Decision) SameAdvice(o *Decision) bool {
	return d.Advised.Equal(o.Advised) && slices.EqualFunc(d.Advice, o.Advice, Advice.Equal) && slices.Equal(d.WouldAdmit, o.WouldAdmit)
}

// String is the change with its price.
func (a Advice) String() string {
	var price []string
	for _, v := range a.Victims[:min(len(a.Victims), 3)] {
		price = append(price, v.String())
	}
	if more := len(a.Victims) - len(price); more > 0 {
		price = append(price, fmt.Sprintf("and moves %d more", more))
	}
	switch a.By {
	case ByTenant:
		price = append(price, "needs the tenant's admin")
	case ByPlatform:
		price = append(price, "needs the platform's admin")
	}
	if price == nil {
		return a.Text
	}
	return a.Text + " (" + strings.Join(price, "; ") + ")"
}

func (v Victim) String() string {
	does, lost := "degrades ", []string(nil)
	if v.Evicted {
		does = "evicts "
	}
	switch {
	case v.Replicas == 1:
		lost = append(lost, "1 replica")
	case v.Replicas > 1:
		lost = append(lost, fmt.Sprintf("%d replicas", v.Replicas))
	}
	if v.Amount != "" {
		lost = append(lost, v.Amount)
	}
	if lost == nil {
		return does + v.App.String()
	}
	return does + v.App.String() + ": " + strings.Join(lost, ", ")
}

// Advising returns what people read of the advice of a decision: a sentence, and below it the changes where they are
// known to be true now.
func (d *Decision) Advising() (sentence string, changes []string) {
	switch a := d.Advised; {
	case a == nil && len(d.WouldAdmit) > 0:
		return "When it was decided, each of these alone would have been enough:", d.WouldAdmit
	case a == nil:
		return "", nil
	case len(a.Changed) > 0 && len(d.Advice) == 0:
		return fmt.Sprintf("At %s no single change was enough; that is being checked again (%s changed).", clock(a.At), strings.Join(a.Changed, ", ")), nil
	case len(a.Changed) > 0:
		var kinds []string
		for i := range d.Advice {
			if kind := adviceKinds[d.Advice[i].Change]; !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		return fmt.Sprintf("True at %s, being checked again (%s changed): %s was enough.", clock(a.At), strings.Join(a.Changed, ", "), strings.Join(kinds, " or ")), nil
	case len(a.Kinds) == 0:
		return "What would be enough takes arbitrating the whole fleet again, which is too large for that in every pass; explain --why-not full does it.", nil
	case len(d.Advice) == 0:
		names := make([]string, len(a.Kinds))
		for i, kind := range a.Kinds {
			names[i] = adviceKinds[kind]
		}
		return "No single change of these kinds suffices: " + strings.Join(names, ", ") + ".", nil
	}
	for i := range d.Advice {
		changes = append(changes, d.Advice[i].String())
	}
	return "Each of these alone " + d.aim() + ":", changes
}

// aim is what advice would give the application.
func (d *Decision) aim() string {
	switch {
	case d.Verdict == VerdictGranted && d.Refused != nil:
		return "would let the newer spec in"
	case d.Verdict == VerdictGranted:
		return "would let it run in full"
	}
	return "would admit it"
}

// clock is a time as people read it.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

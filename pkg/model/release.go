package model

import (
	"encoding/json"
	"time"
)

// Seal returns a with its digest and its release computed. Position and commit are
// no content: the same spec in another commit is the same spec. Both are the same
// whether the values of secrets are known or replaced by digests, so a reader of a
// record computes them and believes nothing. Without a policy a gets the zero one.
func (a Application) Seal() Application {
	if a.Policy == nil {
		a.Policy = new(Policy)
	}
	content := a.Redact()
	content.Digest, content.Commit = "", ""
	a.Digest = DigestOf(content)
	return a.Released()
}

// Released returns a with its release computed. It is the same whether the values of
// secrets are known or replaced by digests.
func (a Application) Released() Application {
	contents := make([]Digest, len(a.Components))
	for i := range a.Components {
		contents[i] = a.Components[i].Content(a.ID)
	}
	a.Release = DigestOf(struct {
		App        AppID
		Components []Digest
		Workflow   *Workflow
		Namespace  string
		Grace      time.Duration
	}{a.ID, contents, a.Workflow, a.Policy.Namespace, a.Lifecycle.Grace})
	return a
}

// content is what a component brings to run. It leaves out what a grant changes by
// itself, and what only arbitration and the order of the start read.
type content struct {
	Name, Type, Runtime, OS string
	Requests, Limits        Resources
	Spread                  *Spread
	Properties              json.RawMessage `json:",omitempty"`
	Traits                  json.RawMessage `json:",omitempty"`
	Source                  Digest
	Connects                []string  `json:",omitempty"` // labels of its pods
	Together                *Together `json:",omitempty"`
}

func (c *Component) content() content {
	return content{c.Name, c.Type, c.Runtime, c.OS, c.Requests, c.Limits, c.Placement.Spread, c.Properties, c.Traits, c.Source, c.Connects, c.Placement.Together}
}

// Content identifies what the component brings to run, whether its secret values are
// known or replaced by digests. Equal content means equal pods under equal grants.
func (c *Component) Content(app AppID) Digest { return DigestOf(c.redacted(app).content()) }

// FormerDigest is the digest that a spec had in records that name releases by the digests
// of specs: without the values of policy that came later, and with the values of secrets.
func (a *Application) FormerDigest() Digest {
	former := *a
	former.Policy = new(*a.Policy)
	former.Policy.UnreadyAfter, former.Policy.Requests, former.Policy.DefaultRequests, former.Policy.Backfill = 0, "", Resources{}, ""
	former.Components = WithoutTimes(former.Components)
	former.Digest, former.Commit = "", ""
	return DigestOf(former)
}

// FormerContent and FormerWorkload are what Content and WorkloadDigest were before there
// were releases. Records of that time, and all of format 1, have them.
func (c *Component) FormerContent(app AppID) Digest { return DigestOf(c.redacted(app).former()) }

// former is c as records had it then.
func (c *Component) former() *Component { return &WithoutTimes([]Component{*c})[0] }

// FormerWorkload is described at FormerContent.
func FormerWorkload(c *Component, g Grant, run int) Digest {
	g = g.AsTold()
	g.Domains, g.Surge = nil, 0
	return DigestOf(struct {
		Component *Component
		Grant     Grant
		Run       int
	}{c.former(), g, run})
}

// WorkloadDigest identifies what a runtime is told to run for a component: what it
// brings to run, its grant and how many of its replicas may run now. The renderer
// writes it on what it creates, and the runtime reports it back. So readiness is
// always about the present release and grant, and never about older ones.
func WorkloadDigest(c *Component, g Grant, run int) Digest {
	g = g.AsTold().AsPlaced(c)
	return DigestOf(struct {
		Component content
		Grant     Grant
		Run       int
	}{c.content(), g, run})
}

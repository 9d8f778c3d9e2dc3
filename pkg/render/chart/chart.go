package chart

import (
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Kubernetes is the version that a chart is told where its component declares none.
const Kubernetes = "v1.36.0"

// A Chart is all that its objects depend on.
type Chart struct {
	Dir   string // of the tenant, to name files
	Files []File // by name

	Release   string
	Namespace string
	Values    []byte // that the component declares, as JSON

	Kubernetes string   // version that the templates are told
	APIs       []string // that the cluster has beside those of Kubernetes itself
	SkipCRDs   bool     // what is in crds/ is left out
}

// A File of a chart.
type File struct {
	Name string // inside the chart
	Data []byte
}

// Build renders the chart twice, with another time and other random numbers, and returns the objects
// if they are the same.
func (c Chart) Build() build.Result {
	first, err := c.render(&chance{})
	if err != nil {
		return c.failed(err)
	}
	second, err := c.render(&chance{other: func(int) bool { return true }})
	if err != nil || !first.same(second) {
		return build.Result{Failed: "helm: comes out differently each time; have it take a Secret or a value in place of what it makes up here", Code: declared.CodeChance}
	}
	return build.Result{Objects: first.objects, Written: first.written}
}

// maxLocated bounds how many calls are tried to find one that matters.
const maxLocated = 100

// Locate returns where the first call stands that lets the chart come out differently. It renders
// the chart again for each call, so it takes several times as long as Build.
func (c Chart) Locate() string {
	all := &chance{}
	first, err := c.render(all)
	if err != nil {
		return ""
	}
	for call := 1; call <= min(all.calls, maxLocated); call++ {
		second, err := c.render(&chance{other: func(n int) bool { return n == call }})
		if err == nil && first.same(second) {
			continue
		}
		if _, err := c.render(&chance{fails: call}); err != nil {
			return c.place(err)
		}
	}
	return ""
}

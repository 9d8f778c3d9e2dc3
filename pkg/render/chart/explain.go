package chart

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/text"
)

// fault is an error with a code of its own, or at a place that its text does not have.
type fault struct {
	code  string
	place string
	err   error

	repeats bool // it has words of a library, and so perhaps a value of the chart
}

func (f *fault) Error() string { return f.err.Error() }

// maxExplanation bounds the quoted part of an error, in bytes.
const maxExplanation = 400

// failed is the result of a chart with an error.
func (c Chart) failed(err error) build.Result {
	var f *fault
	if !errors.As(err, &f) {
		f = &fault{place: c.place(err), err: err, repeats: true}
	}
	return build.Result{Failed: "helm: " + c.explain(f), Code: f.code, Place: f.place}
}

// explain repeats an error. What Helm says may repeat a value that a file of the chart has; where a
// template makes a Secret, only what stands in a template is repeated.
func (c Chart) explain(f *fault) string {
	said := f.Error()
	if parts := prefixed.FindStringSubmatch(said); parts != nil {
		said = parts[2]
	} else if lines := strings.Split(said, "\n"); len(lines) > 2 && f.repeats { // a place, what ran there and what it said, from outside to inside
		said = strings.Join(lines[len(lines)-2:], "")
	}
	if f.repeats && c.mentions("kind: Secret") && !c.mentions(strings.TrimSpace(said)) {
		return "the details may repeat a secret; `helm template` shows them"
	}
	return text.Line(strings.ReplaceAll(said, unpackedSuffix, ""), maxExplanation)
}

// mentions reports whether a file of templates has a text.
func (c Chart) mentions(said string) bool {
	for _, f := range c.Files {
		if strings.Contains(f.Name, "templates/") && strings.Contains(string(f.Data), said) {
			return true
		}
		if strings.HasSuffix(f.Name, ".tgz") && said == "kind: Secret" {
			return true // nobody looks into it here
		}
	}
	return false
}

// prefixed matches an error that begins with its place.
var prefixed = regexp.MustCompile(`(?s)^(execution|parse) error at \([^)]*\): (.*)$`)

// located matches a line of a template in an error.
var located = regexp.MustCompile(`([^\s()":]+):(\d+)`)

// place returns the innermost line of a template that an error names, as a line of the tenant's
// file; "" without one.
func (c Chart) place(err error) string {
	all := located.FindAllStringSubmatch(err.Error(), -1)
	for i := len(all) - 1; i >= 0; i-- {
		if chart, _, ok := strings.Cut(all[i][1], "/"); ok && strings.Contains(all[i][1], "/templates/") {
			return c.file(chart, all[i][1]) + ":" + all[i][2]
		}
	}
	return ""
}

// source returns a file by the name of the template that Helm makes of it. The charts inside a
// chart may have other names than their directories, so it is the one that ends alike.
func (c Chart) source(chart, template string) (File, bool) {
	i := slices.IndexFunc(c.Files, func(f File) bool { return f.Name == strings.TrimPrefix(template, chart+"/") })
	if i < 0 {
		return File{}, false
	}
	return c.Files[i], true
}

// file names the file that a template was read from, or the template if no file has its name.
func (c Chart) file(chart, template string) string {
	if f, ok := c.source(chart, template); ok {
		return path.Join(c.Dir, f.Name)
	}
	return c.Dir + " (" + template + ")"
}

// line names the first line of a template with a text.
func (c Chart) line(chart, template, said string) string {
	f, _ := c.source(chart, template)
	n := 1
	if before, _, ok := strings.Cut(string(f.Data), said); ok {
		n += strings.Count(before, "\n")
	}
	return c.file(chart, template) + ":" + strconv.Itoa(n)
}

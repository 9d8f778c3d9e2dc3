package decode

import (
	"regexp"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

var placeholder = regexp.MustCompile(`\{[^{}]*\}|[{}]`)

// linkProblems refuses templates without the placeholders that they need, and with others.
func linkProblems(l model.Links, own *layer.Layer) (problems []model.Problem) {
	for _, t := range []struct {
		field, template string
		needs, may      []string
	}{
		{"file", l.File, []string{"{path}"}, []string{"{commit}", "{line}"}},
		{"commit", l.Commit, []string{"{commit}"}, nil},
		{"application", l.Application, []string{"{tenant}", "{application}"}, nil},
	} {
		if t.template == "" {
			continue
		}
		wrong := func(message string) {
			problems = append(problems, own.Blame(catalogue.Placeholder, "platform.links."+t.field, message))
		}
		for _, p := range slices.Compact(slices.Sorted(slices.Values(placeholder.FindAllString(t.template, -1)))) {
			if !slices.Contains(slices.Concat(t.needs, t.may), p) {
				wrong("has " + p + "; what may stand here is " + text.Enumerate(slices.Concat(t.needs, t.may), 5))
			}
		}
		for _, p := range t.needs {
			if !strings.Contains(t.template, p) {
				wrong("lacks " + p + ", so all links would be the same")
			}
		}
	}
	return problems
}

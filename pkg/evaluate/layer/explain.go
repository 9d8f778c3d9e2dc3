package layer

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// maxProblems bounds what is reported of one directory.
const maxProblems = 50

// maxMessage bounds what is repeated of a message of CUE, in bytes.
const maxMessage = 500

// syntaxProblems are the errors of the parser.
func syntaxProblems(err error) (problems []model.Problem) {
	for _, e := range errors.Errors(err) {
		problems = append(problems, model.Problem{
			Code: catalogue.Syntax, Message: text.Line(cuefile.Syntax(e), maxMessage),
			Places: []model.Place{{At: e.Position().String()}},
		})
	}
	return problems
}

// explain turns the errors of CUE about the last layer into problems: the code and
// sentence of the rule, the value, and the places of both sides. The layers are given
// from the platform down, and all but the last are valid.
func explain(err error, v cue.Value, layers ...*Layer) (problems []model.Problem) {
	seen := map[string]bool{}
	for _, e := range errors.Errors(err) {
		path := slices.DeleteFunc(pathOf(e), func(s string) bool { return s == "_rule" }) // it stands beside the field that it is about
		if seen[key(path)] || len(problems) == maxProblems {
			continue
		}
		seen[key(path)] = true
		problems = append(problems, explainOne(e, path, v, layers...))
	}
	problems = causes(problems)
	for i := range problems {
		show(&problems[i])
	}
	return problems
}

// show makes the user's text in a problem safe to show.
func show(p *model.Problem) {
	p.Path, p.Message = text.Clean(p.Path), text.Clean(p.Message)
	for i := range p.Places {
		p.Places[i].Note = text.Clean(p.Places[i].Note)
	}
}

// causes leaves out problems that only follow from others.
func causes(problems []model.Problem) []model.Problem {
	// A problem deeper in a structure is the cause of one about the whole. In an unknown
	// field, it is the other way round.
	problems = slices.DeleteFunc(slices.Clone(problems), func(p model.Problem) bool {
		return slices.ContainsFunc(problems, func(q model.Problem) bool {
			return p.Code == catalogue.Conflict && strings.HasPrefix(q.Path, p.Path+".") ||
				p.Code == catalogue.Unknown && q.Code == catalogue.Unknown && strings.HasPrefix(p.Path, q.Path+".")
		})
	})
	// Which properties there are follows from the runtime, so a wrong one makes all of them unknown.
	problems = slices.DeleteFunc(slices.Clone(problems), func(p model.Problem) bool {
		component, below := cutComponent(p.Path)
		return p.Code == catalogue.Unknown && strings.HasPrefix(below, "properties.") &&
			slices.ContainsFunc(problems, func(q model.Problem) bool { return q.Path == component+".runtime" })
	})
	// A wrong number of replicas is reported once, not again by values compared with it.
	return slices.DeleteFunc(problems, func(p model.Problem) bool {
		component, below := cutComponent(p.Path)
		compared := below == "degrade.minReplicas" || below == "traits.autoscale.max" || strings.HasSuffix(below, "._replicas")
		return compared &&
			slices.ContainsFunc(problems, func(q model.Problem) bool { return q.Path == component+".replicas" })
	})
}

// cutComponent splits application.components.web.degrade.minReplicas after the
// component's name.
func cutComponent(path string) (component, below string) {
	parts := strings.SplitN(path, ".", 4)
	if len(parts) < 4 {
		return path, ""
	}
	return strings.Join(parts[:3], "."), parts[3]
}

// explainOne turns one error about the last layer, and the value at path, into a problem.
func explainOne(e errors.Error, path []string, v cue.Value, layers ...*Layer) model.Problem {
	own := layers[len(layers)-1]
	p := model.Problem{Code: catalogue.Conflict, Path: strings.Join(path, "."), Message: message(e)}
	place, depth := own.Where.find(path)
	written := depth > 0 && depth == len(path)
	code, sentence, ok := cutCode(p.Message)
	means := meaningOf(p.Message)
	switch {
	case ok:
		p.Code, p.Message = code, sentence
		if written && place.Text != "" {
			p.Message = "asks for " + place.Text + ", " + sentence + meant(place.Text, sentence)
		}
	case means == unknownField && named(path):
		p.Code, p.Message = catalogue.NoName, "is no name: at most 63 lower-case letters, digits and dashes, beginning with a letter"
	case means == unknownField:
		p.Code, p.Message = catalogue.Unknown, "no such field"+suggest(v, path)
	case means == missingField && len(path) > 1 && path[0] == "application" && path[1] == "labels":
		p.Code, p.Message = catalogue.RequiredLabel, "must be written: the policy requires the label (requiredLabels)"
	case means == missingField && len(path) > 3 && path[1] == "components" && path[3] == "resources":
		p.Code, p.Message = catalogue.RequiredRequests, "must be written: the policy requires every component to request cpu and memory (requests)"
	case means == missingField:
		p.Code, p.Message = catalogue.Required, "must be written"
	case means == noValue:
		p.Code, p.Message = catalogue.Incomplete, "has no value; a type is not enough"
	case means == noneOfSeveral:
		p.Message = "is none of what may be written here"
	case private(path), means == quotesStruct:
		p.Message = "does not fit, or is written twice"
	}
	switch {
	case (p.Code == catalogue.Unknown || p.Code == catalogue.NoName) && written:
		p.Places = append(p.Places, place.places(place.Label, "")...)
	case written && p.Code == catalogue.Conflict:
		for _, e := range own.Where[key(path)] {
			p.Places = append(p.Places, e.places(e.Value, e.Text)...)
		}
	case written:
		p.Places = append(p.Places, place.places(place.Value, note("asks for ", place.Text))...)
	case depth > 0:
		p.Places = append(p.Places, place.places(place.Label, "nearest place that is written")...)
	default:
		p.Places = append(p.Places, elsewhereIn(e, own)...)
	}
	if by, ok := Limit(p, layers...); ok {
		p.Places = append(p.Places, by)
	}
	return p
}

// named reports whether the last segment of path is an invalid name that the user chose.
func named(path []string) bool {
	if len(path) < 2 || model.ValidName(path[len(path)-1]) {
		return false
	}
	return slices.Contains([]string{"components", "pools", "bands", "profiles", "releases", "groups", "reservations", "allotments"}, path[len(path)-2])
}

// Limit returns the place of the policy value behind the rule that a problem is about, in
// the nearest layer that writes it. The last of the layers is the one at fault.
func Limit(p model.Problem, layers ...*Layer) (model.Place, bool) {
	rule, own := catalogue.Find(p.Code), layers[len(layers)-1]
	_, field, _ := strings.Cut(p.Path, ".")
	for _, l := range slices.Backward(layers) {
		if l == own && !rule.Own {
			continue
		}
		for _, path := range rule.Limits {
			full := l.Field + "." + strings.NewReplacer("TENANT", tenantOf(own), "FIELD", field).Replace(path)
			if e, ok := l.Where.exact(full); ok && full != p.Path {
				return model.Place{At: e.Value, Note: note(full+": ", e.Text)}, true
			}
		}
	}
	return model.Place{}, false
}

// tenantOf returns the tenant whose files, or whose application's files, a layer has.
func tenantOf(l *Layer) string {
	if parts := strings.SplitN(l.first(), "/", 3); len(parts) == 3 {
		return parts[1]
	}
	return ""
}

func note(prefix, text string) string {
	if text == "" {
		return strings.TrimSuffix(strings.TrimSuffix(prefix, "asks for "), ": ")
	}
	return prefix + text
}

// elsewhereIn returns the first position in the layer's files that CUE mentions.
func elsewhereIn(e errors.Error, own *Layer) []model.Place {
	for _, pos := range errors.Positions(e) {
		for _, b := range own.Files {
			if pos.Filename() == b.Name {
				return []model.Place{{At: pos.String()}}
			}
		}
	}
	if len(own.Files) > 0 {
		return []model.Place{{At: own.Files[0].Name + ":1:1"}}
	}
	return nil
}

func pathOf(e errors.Error) (path []string) {
	for _, p := range e.Path() {
		if s, err := literal.Unquote(p); err == nil {
			p = s // a label that is no identifier comes quoted
		}
		path = append(path, p)
	}
	return path
}

func message(e errors.Error) string {
	format, args := e.Msg()
	said := fmt.Sprintf(format, args...)
	if cause := errors.Unwrap(e); cause != nil && said == "" {
		said = cause.Error()
	}
	return text.Line(said, maxMessage)
}

// cutCode cuts the code off a sentence of the schema.
func cutCode(s string) (code, sentence string, ok bool) {
	code, sentence, ok = strings.Cut(s, " ")
	if !ok || len(code) != 6 || !strings.HasPrefix(code, "DA") || strings.Trim(code[2:], "0123456789") != "" {
		return "", s, false
	}
	return code, sentence, true
}

// GaveUp is the problem of an evaluation that panicked or could not begin.
func GaveUp(dir string, reason any) model.Problem {
	return WholeFile(catalogue.GaveUp, dir, "could not be evaluated: "+text.Clean(fmt.Sprint(reason)))
}

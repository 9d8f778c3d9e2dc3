package view

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// Unnamed takes the names of tenants that somebody may not read, and of their applications and files, out of answers.
type Unnamed struct {
	Reading access.Reading
	Known   func(tenant string) bool // names that are, or were, those of tenants

	// Own reports whether an application of a tenant that may be read has a component: sentences name it APPLICATION/COMPONENT. Nil: none is known.
	Own func(application, component string) bool
}

// hides reports whether a name is that of a tenant that may not be read.
func (u *Unnamed) hides(tenant string) bool { return u.Known(tenant) && !u.Reading.Reads(tenant) }

// Fields of answers that have names of tenants, and of applications with their tenants.
var (
	tenantFields      = map[string]bool{"tenant": true, "tenants": true, "of": true, "refusedTenants": true}
	applicationFields = map[string]bool{"application": true, "for": true, "blockedBy": true, "from": true, "owner": true}
)

// JSON returns an answer without the names. All else stays byte for byte.
func (u *Unnamed) JSON(body []byte) []byte {
	var out bytes.Buffer
	field := ""
	for len(body) > 0 {
		start := bytes.IndexByte(body, '"')
		if start < 0 {
			break
		}
		end := start + 1
		for end < len(body) && body[end] != '"' {
			if body[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(body))
		out.Write(body[:start])
		literal := body[start:end]
		body = body[end:]
		var s string
		if json.Unmarshal(literal, &s) != nil {
			out.Write(literal)
			continue
		}
		var said string
		switch {
		case bytes.HasPrefix(body, []byte(":")):
			field, said = s, u.Line(s)
		case tenantFields[field] && u.hides(s):
			said = otherTenant
		case applicationFields[field] && u.isOther(s):
			said = otherApplication
		default:
			said = u.Line(s)
		}
		if said == s {
			out.Write(literal)
			continue
		}
		out.Write(plan.Encoded(said))
	}
	out.Write(body)
	return out.Bytes()
}

// isOther reports whether a text is the name of an application that may not be read, whether there is one or not.
func (u *Unnamed) isOther(s string) bool {
	app, err := model.ParseAppID(s)
	return err == nil && model.ValidName(app.Tenant) && model.ValidName(app.Name) && !u.Reading.Reads(app.Tenant)
}

// Line returns a sentence or a value without the names. It knows them by the forms in which this program writes them: tenant NAME,
// TENANT/APPLICATION, and paths below tenants/NAME and approvals/NAME.
func (u *Unnamed) Line(s string) string {
	var out strings.Builder
	sentence := strings.Contains(s, " ")
	last := ""      // the word before
	listed := false // names of tenants come one after the other
	for len(s) > 0 {
		n := strings.IndexFunc(s, isNamed)
		if n < 0 {
			break
		}
		between := s[:n]
		out.WriteString(between)
		s = s[n:]
		if n = strings.IndexFunc(s, func(r rune) bool { return !isNamed(r) }); n < 0 {
			n = len(s)
		}
		word := strings.TrimRight(s[:n], ".:/-")
		s = s[len(word):]
		if word == "" { // only dots or slashes
			out.WriteString(s[:1])
			s = s[1:]
			continue
		}
		listed = last == "tenant" || last == "tenants" || listed && (between == ", " || word == "and" || word == "or" || last == "and" || last == "or")
		said := u.word(word, last, listed, sentence)
		if said == otherTenant && last == "tenant" {
			kept := strings.TrimSuffix(out.String(), "tenant"+between)
			out.Reset()
			out.WriteString(kept)
		}
		out.WriteString(said)
		last = word
	}
	out.WriteString(s)
	return out.String()
}

// word returns a word of a sentence, or what stands for it.
func (u *Unnamed) word(word, last string, listed, sentence bool) string {
	parts := strings.Split(word, "/")
	for i := range parts[:len(parts)-1] {
		if parts[i] == "tenants" || parts[i] == "approvals" {
			name, _, _ := strings.Cut(parts[i+1], ":")
			if model.ValidName(name) && !u.Reading.Reads(name) {
				return otherFile
			}
			return word
		}
	}
	switch {
	case len(parts) == 1:
		if listed && u.hides(word) {
			return otherTenant
		}
	case u.hides(parts[0]), sentence && len(parts) <= 3 && !isKind(last) && u.mayBeOther(parts):
		return otherApplication
	}
	return word
}

// mayBeOther reports whether the parts of a word can be an application that may not be read, of a tenant that is not known any more, and
// perhaps one of its components.
func (u *Unnamed) mayBeOther(parts []string) bool {
	for _, p := range parts {
		if !model.ValidName(p) {
			return false
		}
	}
	return !u.Reading.Reads(parts[0]) && !isVersion(parts[1]) && (len(parts) > 2 || u.Own == nil || !u.Own(parts[0], parts[1]))
}

// isKind reports whether a word is the kind of an object, which a namespace and a name follow, or announces an image.
func isKind(word string) bool {
	return word == "image" || word != "" && unicode.IsUpper(rune(word[0]))
}

// isVersion reports whether a word is that of an API, such as v1beta2.
func isVersion(word string) bool {
	return len(word) > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9'
}

// isNamed reports whether a character can be part of a name or path.
func isNamed(r rune) bool {
	return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-._/:@", r))
}

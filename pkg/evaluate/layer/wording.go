package layer

import "strings"

// Errors of CUE have no codes, only texts. The table below is the one place that knows
// these texts. A test produces each with the linked CUE, so a version with other texts
// is found.

// A meaning is the kind of an error of CUE, as far as problems distinguish errors.
type meaning int

const (
	other         meaning = iota // the text of CUE is shown
	unknownField                 // the schema has no such field
	missingField                 // a required field is not written
	noValue                      // a type stands where a value is needed
	noneOfSeveral                // none of the alternatives fits
	quotesStruct                 // the text quotes a struct, which may hold a secret
)

// wordings are the texts of CUE, the first that matches counts.
var wordings = []struct {
	matches func(message, text string) bool
	text    string
	means   meaning
}{
	{strings.HasSuffix, "field not allowed", unknownField},
	{strings.Contains, "field is required but not present", missingField},
	{strings.HasPrefix, "incomplete value", noValue},
	{strings.HasPrefix, "non-concrete value", noValue},
	{strings.Contains, "empty disjunction", noneOfSeveral},
	{strings.Contains, "{", quotesStruct},
}

// meaningOf returns the meaning of a message of CUE.
func meaningOf(message string) meaning {
	for _, w := range wordings {
		if w.matches(message, w.text) {
			return w.means
		}
	}
	return other
}

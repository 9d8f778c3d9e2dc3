package decode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
)

// chartValues checks that no value of a chart is a literal that holds a secret: specs are written to the
// status branch. Names that end with SECRET and KEY mostly lead to a Secret.
func (s *secretsOf) chartValues(below string, value any, words []string) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := below + "." + name
			text, ok := value[name].(string)
			if ok && text != "" && !strings.HasPrefix(name, "existing") && HoldsSecret(words, name, text) {
				s.bad(catalogue.SecretLiteral, at, "is a literal in a value that holds a secret, and values are written to the status branch; write a component of type secret and name it in the values, as existingSecret or what the chart calls it")
			}
			s.chartValues(at, value[name], words)
		}
	case []any:
		for i := range value {
			s.chartValues(fmt.Sprintf("%s.%d", below, i), value[i], words)
		}
	}
}

// chart checks the values of a helm component.
func (s *secretsOf) chart() {
	words := slices.DeleteFunc(slices.Clone(s.doc.Names), func(word string) bool { return word == "SECRET" || word == "KEY" })
	s.chartValues(".properties.values", gjson.GetBytes(s.c.Properties, "values").Value(), words)
}

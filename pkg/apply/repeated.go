package apply

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/text"
)

// shortest is the length of the shortest word that counts as a value, in bytes.
const shortest = 4

// public are the fields whose values anybody may read: they name things.
var public = []string{"apiVersion", "kind", "name", "namespace", "image", "labels", "matchLabels", "selector", "nodeSelector", "ownerReferences"}

// cutRepeated returns a text about an object without the words that are values of it.
// What is in quotes is cut out elsewhere; a webhook or a rule of a definition may repeat
// a value without them.
func cutRepeated(s string, o *unstructured.Unstructured) string {
	if o == nil {
		return s
	}
	s = text.Line(s, 2*scanned)
	said := map[string]bool{} // words of the text, true: of a value as well
	for _, w := range strings.FieldsFunc(s, between) {
		said[w] = false
	}
	var whole []string
	eachValue(o.Object, func(value string) {
		words := strings.FieldsFunc(value, between)
		repeated := len(words) > 0
		for _, w := range words {
			_, found := said[w]
			repeated = repeated && found
			if found && len(w) >= shortest {
				said[w] = true
			}
		}
		if repeated && len(value) >= shortest {
			whole = append(whole, value)
		}
	})
	slices.SortFunc(whole, func(a, b string) int { return len(b) - len(a) })
	for _, value := range slices.Compact(whole) {
		s = strings.ReplaceAll(s, value, cutMark)
	}
	return wordsOf.ReplaceAllStringFunc(s, func(word string) string {
		if said[word] {
			return cutMark
		}
		return word
	})
}

// wordsOf are the words of a text.
var wordsOf = regexp.MustCompile(`[\p{L}\p{Nd}]+`)

// between reports whether a character stands between words.
func between(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// eachValue calls a function with each text of an object that is not public.
func eachValue(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for _, e := range v {
			eachValue(e, do)
		}
	case map[string]any:
		for key, e := range v {
			if !slices.Contains(public, key) {
				eachValue(e, do)
			}
		}
	}
}

package importing

import (
	"fmt"
	"regexp"
	"strings"
)

// A definition of KubeVela may name a Secret in a property, whose values it has in a struct: the comment +insertSecretTo=conn before the property
// puts them into conn. Import puts marks in their place, and makes references to the Secret of the variables that have them.
var (
	insertion = regexp.MustCompile(`//\s*\+[iI]nsertSecretTo=([A-Za-z][A-Za-z0-9_]*)\s*\n\s*"?([A-Za-z][A-Za-z0-9_]*)"?\??:`)
	textField = regexp.MustCompile(`(?m)^\s*"?([A-Za-z][A-Za-z0-9_]*)"?\??:\s*string\s*$`)
)

const insertedMark = "insertedSecret:"

// inserted returns a template with marks for the values of the Secrets that properties name, and the names of these properties.
func inserted(source string, properties *node) (whole string, names []string) {
	for _, m := range insertion.FindAllStringSubmatch(source, 20) {
		secret := properties.field(m[2]).string()
		_, fields, found := strings.Cut(source, "\n"+m[1]+": {")
		if fields, _, _ = strings.Cut(fields, "}"); !found || !objectPattern.MatchString(secret) {
			continue
		}
		names = append(names, m[2])
		for _, f := range textField.FindAllStringSubmatch(fields, 100) {
			source += fmt.Sprintf("\n%s: %s: %q\n", m[1], f[1], insertedMark+secret+":"+f[1])
		}
	}
	return source, names
}

// uninserted makes references to Secrets of marks. It refuses a mark that stands elsewhere than in a variable.
func uninserted(n *node) error {
	var err error
	n.leaves(func(l *node) {
		rest, marked := strings.CutPrefix(l.text, insertedMark)
		if !marked {
			if strings.Contains(l.text, insertedMark) {
				err = because("is of a definition that puts a secret into a text", "secret: existing")
			}
			return
		}
		secret, name, _ := strings.Cut(rest, ":")
		if l.name != "value" || l.up == nil || l.up.field("name") == nil {
			err = because("is of a definition that puts a secret elsewhere than into a variable", "secret: existing")
			return
		}
		text := func(name, said string) key {
			return key{name, &node{name: name, line: l.line, text: said, tag: "!!str"}}
		}
		from := &node{up: l.up, name: "valueFrom", kind: mapping, keys: []key{{"secretKeyRef", &node{name: "secretKeyRef", kind: mapping, keys: []key{text("name", secret), text("key", name)}}}}}
		for i, k := range l.up.keys {
			if k.node == l {
				l.up.keys[i] = key{"valueFrom", from}
			}
		}
	})
	return err
}

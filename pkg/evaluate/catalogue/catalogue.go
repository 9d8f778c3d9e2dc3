// Package catalogue lists the errors of a fleet repo: the code of each, its title,
// how to fix it, and the policy values behind it. docs/errors.md is made of it.
//
// It is data. It never decides whether something is wrong: the schema and the
// packages above do, and name a code of this catalogue. Everybody shares its slices,
// and nobody may change them.
package catalogue

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// A Rule has the words about a code that are not in the sentence of a problem.
type Rule struct {
	Code  string
	Title string
	Fix   string

	Limits []string // the policy values behind the rule, as paths below the field of a layer; TENANT stands for the tenant at fault, FIELD for the path of the problem
	Own    bool     // the layer at fault may have set the limit itself
}

// A Chapter is a group of rules, in the order of their codes.
type Chapter struct {
	Title string
	Rules []Rule
}

//go:embed rules.json
var rules []byte

// Chapters are all rules, in the order of docs/errors.md.
var Chapters = read()

func read() (chapters []Chapter) {
	if err := json.Unmarshal(rules, &chapters); err != nil {
		panic(fmt.Errorf("read the rules: %w", err))
	}
	return chapters
}

// Find returns the rule of a code, the zero rule if there is none.
func Find(code string) Rule {
	for _, c := range Chapters {
		for _, r := range c.Rules {
			if r.Code == code {
				return r
			}
		}
	}
	return Rule{}
}

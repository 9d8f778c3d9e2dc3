// Package catalogue lists the errors of a fleet repo: the code of each, its title,
// how to fix it, and which policy values stand behind it. docs/errors.md is made of
// it.
//
// It is data. It never decides whether something is wrong: the schema and the
// packages above do, and name a code of this catalogue. Everybody shares its slices,
// and nobody may change them.
package catalogue

// A Rule is what there is to say about a code beside the sentence of a problem.
type Rule struct {
	Code  string
	Title string
	Fix   string

	Limits []string // the policy values behind the rule, as paths below the field of a layer
	Own    bool     // the layer at fault may have set the limit itself
}

// A Chapter is a group of rules, in the order of their codes.
type Chapter struct {
	Title string
	Rules []Rule
}

// Chapters are all rules, in the order of docs/errors.md.
var Chapters = []Chapter{
	files, shape, applications, workflows, approvals, policies, words, references, pins, access,
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

// Package build has what packages share that make objects from files of a tenant: the recipes, and
// what comes of them.
package build

import (
	"encoding/json"
	"strings"
)

// A Recipe says how objects are made from files that a tenant wrote. Their author decides how much
// time and memory that takes, so a caller that does not trust the author follows it in a process
// that has limits. It is a plain value: equal recipes have equal results.
type Recipe interface {
	// Build follows the recipe. A panic in a library is a failure of this input.
	Build() Result
	// Locate returns where a recipe fails whose Build has not said it, "" if that is not certain.
	Locate() string
}

// Follow follows a recipe in this process, and says where it fails.
func Follow(r Recipe) Result {
	b := r.Build()
	if b.Failed != "" && b.Place == "" {
		b.Place = r.Locate()
	}
	return b
}

// A Result is what comes of a recipe: objects, or the reason why there are none.
type Result struct {
	Objects []json.RawMessage // in the order in which they were made
	Refused string            // error in its files, which no recipe was made of
	Failed  string            // why there are no objects
	Code    string            // of the error or failure, "" for the usual one
	Limit   string            // what the error goes against, "" without one
	Place   string            // where it fails: file:line and field, "" if that is not known
	Written []Written         // where its objects, or what they were made of, were written
}

// A Written is an object as the tenant wrote it, or what one is made of.
type Written struct {
	Kind, Name string
	At         string // file:line
}

// Origin returns where an object was written, "" if that is not certain. Its name has what it was
// called there, as kustomize only puts prefixes, suffixes and digests around names; a patch that
// renames it leaves no trace.
func (b Result) Origin(kind, name string) string {
	longest, at := "", ""
	for _, o := range b.Written {
		switch {
		case o.Kind != kind || !strings.Contains(name, o.Name) || len(o.Name) < len(longest):
		case o.Name == longest:
			at = "" // there are two of them
		default:
			longest, at = o.Name, o.At
		}
	}
	return at
}

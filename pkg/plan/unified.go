package plan

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/text"
)

// Limits of unified diffs, in bytes.
const (
	maxDocument = 256 << 10 // of an object that is compared
	maxDiff     = 32 << 10  // of one
	maxDiffs    = 512 << 10 // of all
)

// Unify gives the objects their unified diffs, until these are too much for an answer. It returns the number of objects
// that have none because of that.
func (c *Changes) Unify() (left int) {
	sum := 0
	for i := range c.Objects {
		o := &c.Objects[i]
		if o.Action == Keep || o.before == nil && o.after == nil {
			continue
		}
		if len(o.before)+len(o.after) > maxDocument || sum > maxDiffs {
			left++
			continue
		}
		o.Diff = o.unified()
		sum += len(o.Diff)
	}
	return left
}

// unified compares the object on both sides as YAML. The values of a secret are hidden.
func (o *ObjectChange) unified() string {
	before, after := decodedObject(o.before), decodedObject(o.after)
	if o.secret {
		hideData(before, after)
	}
	name := strings.ToLower(o.Kind) + "/" + o.Name
	made := diff.Diff("a/"+name, documentOf(before), "b/"+name, documentOf(after))
	if _, body, ok := bytes.Cut(made, []byte("\n")); ok && bytes.HasPrefix(made, []byte("diff ")) {
		made = body // the names stand below, too
	}
	said := text.Lines(string(made), maxDiff)
	return strings.TrimRight(said, "\n") + "\n"
}

func decodedObject(document []byte) (object map[string]any) {
	_ = json.Unmarshal(document, &object)
	return object
}

func documentOf(object map[string]any) []byte {
	if object == nil {
		return nil
	}
	document, _ := yaml.Marshal(object) // it is decoded JSON
	return document
}

// hideData replaces the values of a secret, so that only whether they differ remains.
func hideData(before, after map[string]any) {
	for _, field := range []string{"data", "stringData", "binaryData"} {
		was, _ := before[field].(map[string]any)
		is, _ := after[field].(map[string]any)
		for key, value := range is {
			old, had := was[key]
			is[key] = "(hidden)"
			if had && old != value {
				is[key] = "(hidden, another value)"
			}
		}
		for key := range was {
			was[key] = "(hidden)"
		}
	}
}

package traits

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/schema/jsonschema"
)

const docs = "../../docs/traits"

const made = "<!-- Made by go test ./test/traits -update of the files in pkg/render/trait. Change those. -->\n\n"

// kinds are the types of components that each kind of workload carries.
var kinds = map[string][]string{
	"Deployment": {"webservice", "worker", "windows-service"}, "StatefulSet": {"store"}, "DaemonSet": {"daemon"}, "Job": {"job", "cron"},
}

// types are the types of components that can have the trait.
func (f fragment) types() string {
	if f.Kinds == nil {
		return "all that run a container"
	}
	var all []string
	for _, kind := range f.Kinds {
		all = append(all, kinds[kind]...)
	}
	if f.Machines {
		all = append(all, "vm")
	}
	return "`" + strings.Join(all, "`, `") + "`"
}

// TestPages: each trait has a page, with a table of its fields and its example, and the index has all of them.
func TestPages(t *testing.T) {
	shapes := readShapes(t)
	index := made + "# Traits\n\nA trait adds a capability to a component: it adds to its pods, or adds objects beside them. What two traits both add, such as a\n" +
		"container of one name, is refused (DA1703).\n\n| trait | what it is for | components |\n| --- | --- | --- |\n"
	var pages []string
	for _, f := range fragments(t) {
		name := strings.ToLower(f.Name) + ".md"
		pages = append(pages, name)
		index += fmt.Sprintf("| [%s](%s) | %s | %s |\n", f.Name, name, oneLine(f.about), f.types())
		text := made + "# " + f.Name + "\n\n" + f.about + "\n\n"
		if f.details != "" {
			text += f.details + "\n\n"
		}
		text += "Components: " + f.types() + ".\n\n| field of `traits` | value | |\n| --- | --- | --- |\n"
		fields := table{shapes: shapes, shown: map[string]string{}}
		fields.add(f.Name, false, withoutComment(shapes["ServiceTraits"]["properties"].(map[string]any)[f.Name]))
		text += strings.Join(fields.rows, "") + "\nFields with * are required.\n\n```cue\n// tenants/acme/apps/shop/" + strings.TrimSuffix(name, ".md") + ".cue\n" + f.example + "```\n\n" +
			"What comes of it, but for labels and annotations of D-AROS:\n\n```yaml\n" + f.objects(t) + "```\n"
		hold(t, filepath.Join(docs, name), text)
	}
	hold(t, filepath.Join(docs, "README.md"), index)
	have, err := os.ReadDir(docs)
	require.NoError(t, err)
	for _, e := range have {
		require.Contains(t, append(pages, "README.md"), e.Name(), "a page of no trait")
	}
}

// shapes are the definitions of the JSON schema of an application.
type shapes map[string]map[string]any

func readShapes(t *testing.T) shapes {
	text, err := jsonschema.Of("application")
	require.NoError(t, err)
	var of struct {
		Defs shapes `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(text, &of))
	return of.Defs
}

// table is the table of the fields of a trait while it is written.
type table struct {
	shapes
	rows  []string
	shown map[string]string // fields by the definition that says what is below them
}

// add adds a field and what is below it. What a definition says stands in the table once.
func (t *table) add(name string, required bool, shape any) {
	m := t.resolved(shape)
	inner := m
	if items, isList := m["items"]; isList {
		name, inner = name+"[]", t.resolved(items)
	}
	about, _ := m["description"].(string)
	value, below := t.value(m), properties(inner)
	if of, named := inner["called"].(string); named && below != nil {
		if first, again := t.shown[of]; again {
			value, below = "as `"+first+"`", nil
		} else {
			t.shown[of] = name
		}
	}
	if below == nil || required || about != "" {
		mark := ""
		if required {
			mark = "*"
		}
		t.rows = append(t.rows, fmt.Sprintf("| `%s`%s | %s | %s |\n", name, mark, value, oneLine(about)))
	}
	needed, _ := inner["required"].([]any)
	for _, field := range slices.Sorted(maps.Keys(below)) {
		t.add(name+"."+field, slices.Contains(needed, any(field)), below[field])
	}
}

// properties are the fields of an object, or of the objects that it may be.
func properties(m map[string]any) map[string]any {
	all, _ := m["properties"].(map[string]any)
	choices, _ := m["anyOf"].([]any)
	for _, c := range choices {
		if one, ok := c.(map[string]any)["properties"].(map[string]any); ok {
			all = maps.Clone(all)
			if all == nil {
				all = map[string]any{}
			}
			maps.Copy(all, one)
		}
	}
	return all
}

// resolved follows a reference. What stands beside it is about this use.
func (s shapes) resolved(shape any) map[string]any {
	m, _ := shape.(map[string]any)
	ref, _ := m["$ref"].(string)
	if ref == "" {
		return m
	}
	all := maps.Clone(s.resolved(s[path.Base(ref)]))
	delete(all, "description")
	all["called"] = path.Base(ref)
	maps.Copy(all, m)
	delete(all, "$ref")
	return all
}

// value says what may be written.
func (s shapes) value(m map[string]any) string {
	said := ""
	switch words, isEnum := m["enum"].([]any); {
	case isEnum && len(words) > 6:
		said = fmt.Sprintf("`%v` and others", words[0])
	case isEnum:
		for _, w := range words {
			said += fmt.Sprintf("`%v`, ", w)
		}
		said = strings.TrimSuffix(said, ", ")
	case m["items"] != nil:
		said = "a list of " + plural(s.value(s.resolved(m["items"])))
	case properties(m) != nil:
		return "fields"
	case m["called"] == "Variable":
		said = "a text, or a key of a config or secret"
	case m["type"] == "integer":
		said = "a whole number" + bounds(m)
	case m["type"] == "boolean":
		said = "`true`, `false`"
	case values[fmt.Sprint(m["called"])] != "":
		said = values[fmt.Sprint(m["called"])]
	case m["type"] == "object" && (m["additionalProperties"] == nil || m["additionalProperties"] == true):
		said = "fields"
	case m["additionalProperties"] != nil:
		return "texts by name"
	default:
		said = "a text"
	}
	if d, ok := m["default"]; ok {
		said += fmt.Sprintf("; `%v` without it", d)
	}
	return said
}

// values are what pages call values that the schema has a name for.
var values = map[string]string{
	"Duration": "a duration such as `30s`", "Memory": "an amount such as `20Gi`", "CPU": "an amount such as `500m`", "Name": "a name", "PortOrName": "a port, or the name of one",
}

func plural(value string) string {
	if rest, ok := strings.CutPrefix(value, "a "); ok {
		noun, more, _ := strings.Cut(rest, " ")
		return strings.TrimSpace(noun + "s " + more)
	}
	return value
}

func bounds(m map[string]any) string {
	low, hasLow := m["minimum"].(float64)
	high, hasHigh := m["maximum"].(float64)
	switch {
	case hasLow && hasHigh:
		return fmt.Sprintf(" from %.0f to %.0f", low, high)
	case hasLow:
		return fmt.Sprintf(" of at least %.0f", low)
	}
	return ""
}

// withoutComment is the shape of a trait, whose comment stands above the table.
func withoutComment(shape any) any {
	m := maps.Clone(shape.(map[string]any))
	delete(m, "description")
	return m
}

func oneLine(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

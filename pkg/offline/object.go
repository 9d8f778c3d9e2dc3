package offline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/d-aros/d-aros/pkg/text"
)

// object is a JSON object whose fields have the order in which they were put there.
type object struct {
	names  []string
	values []any
}

func named(name string) *object { return &object{[]string{"name"}, []any{name}} }

// put puts a value at a path below an object.
func (o *object) put(path []string, value any) error {
	i := slices.Index(o.names, path[0])
	if i < 0 {
		i = len(o.names)
		o.names, o.values = append(o.names, path[0]), append(o.values, &object{})
	}
	if len(path) == 1 {
		o.values[i] = value
		return nil
	}
	below, ok := o.values[i].(*object)
	if !ok {
		return fmt.Errorf("%s has a value and can have no fields", text.Clean(path[0]))
	}
	return below.put(path[1:], value)
}

// MarshalJSON keeps the order.
func (o *object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, name := range o.names {
		label, _ := json.Marshal(name) // strings can be encoded
		value, err := json.Marshal(o.values[i])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, ",%s:%s", label, value)
	}
	return []byte("{" + strings.TrimPrefix(out.String(), ",") + "}"), nil
}

// splitSetting reads PATH=VALUE. Names in the path with other characters than those of names stand in quotes:
// labels."example.com/team".
func splitSetting(setting string) (path []string, value string, err error) {
	wrong := errors.New("write PATH=VALUE, such as application.acme/shop.components.web.replicas=3; names with dots stand in quotes")
	if !utf8.ValidString(setting) {
		return nil, "", fmt.Errorf("%q is no text in UTF-8", setting)
	}
	rest := setting
	for {
		name := ""
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, "", fmt.Errorf("%q: %w", setting, wrong)
			}
			rest = rest[len(quoted):]
			if name, err = strconv.Unquote(quoted); err != nil {
				return nil, "", fmt.Errorf("%q: %w", setting, wrong)
			}
		} else {
			end := strings.IndexAny(rest, ".=\"")
			if end < 0 {
				end = len(rest)
			}
			name, rest = rest[:end], rest[end:]
		}
		path = append(path, name)
		switch {
		case name == "" || rest == "" || rest[0] == '"':
			return nil, "", fmt.Errorf("%q: %w", setting, wrong)
		case rest[0] == '=':
			return path, rest[1:], nil
		}
		rest = rest[1:]
	}
}

// joinPath writes names as splitSetting reads them.
func joinPath(path []string) string {
	out := make([]string, len(path))
	for i, name := range path {
		if out[i] = name; name == "" || strings.ContainsAny(name, ".=\"") || strconv.Quote(name) != `"`+name+`"` {
			out[i] = strconv.Quote(name)
		}
	}
	return strings.Join(out, ".")
}

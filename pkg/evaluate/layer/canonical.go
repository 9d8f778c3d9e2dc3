package layer

import (
	"bytes"
	"encoding/json"
)

// Canonical returns JSON with sorted keys, so that the order of fields in files has no
// meaning. It is nil for {} and for text that is not JSON.
func Canonical(data json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if len(data) == 0 || dec.Decode(&v) != nil {
		return nil
	}
	if m, ok := v.(map[string]any); ok && len(m) == 0 {
		return nil
	}
	return asJSON(v)
}

package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// redactedKey marks the properties of a secret whose values are digests. The
// schema of a secret has no such property, so that no user can write it.
const redactedKey = "redacted"

// Redact returns a with the values of its secrets replaced by digests, fit to
// be written where people read it. Digest and Commit stay: they tell which spec
// it is, and the commit still holds the values. Without secrets it shares the components of a.
func (a Application) Redact() Application {
	shared := true
	for i := range a.Components {
		c := &a.Components[i]
		redacted := c.redacted(a.ID)
		if redacted == c {
			continue
		}
		if shared {
			a.Components, shared = slices.Clone(a.Components), false
		}
		a.Components[i] = *redacted
	}
	return a
}

// Encrypted returns the file of SOPS that has the values of a secret, by its path in the
// application's directory; "" if the component has none. Source digests the file.
func (c *Component) Encrypted() string {
	if c.Type != "secret" {
		return ""
	}
	var p struct {
		Data json.RawMessage `json:"data"`
		Sops string          `json:"sops"`
	}
	if json.Unmarshal(c.Properties, &p) != nil || p.Data != nil {
		return ""
	}
	return p.Sops
}

// Redacted reports whether the component is a secret without its values.
func (c *Component) Redacted() bool {
	if c.Type != "secret" {
		return false
	}
	var p map[string]json.RawMessage
	return json.Unmarshal(c.Properties, &p) == nil && string(p[redactedKey]) == "true"
}

// redacted returns the component with digests in place of secret values.
func (c *Component) redacted(app AppID) *Component {
	if c.Type != "secret" || c.Redacted() || c.Encrypted() != "" {
		return c
	}
	redacted := *c
	redacted.Properties = redactProperties(app, c)
	return &redacted
}

// redactProperties keeps the keys of properties.data and digests the values,
// together with where they belong, so that equal values in two places do not
// look equal. What else the properties hold may repeat a value and goes.
func redactProperties(app AppID, c *Component) json.RawMessage {
	var p struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(c.Properties, &p) // what cannot be read is left out
	redacted := map[string]any{redactedKey: true}
	if p.Data != nil {
		data := map[string]string{}
		for key, value := range p.Data {
			place := app.String() + "\x00" + c.Name + "\x00" + key + "\x00"
			sum := sha256.Sum256(append([]byte(place), canonical(value)...))
			data[key] = "sha256:" + hex.EncodeToString(sum[:])
		}
		redacted["data"] = data
	}
	b, err := json.Marshal(redacted)
	if err != nil {
		panic("model: a map of strings cannot be encoded: " + err.Error())
	}
	return b
}

// canonical returns the bytes of a value without the freedom of its encoding.
func canonical(value json.RawMessage) []byte {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return []byte(s)
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return value
	}
	return b.Bytes()
}

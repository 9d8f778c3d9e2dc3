package declared

import "encoding/json"

// Variable is a plain value of an environment variable, or the source of one.
type Variable struct {
	Value  string  `json:"-"`
	Secret *KeyRef `json:"secret"`
	Config *KeyRef `json:"config"`
	Field  string  `json:"field"`
}

// KeyRef names a key of a config or secret component, or of an object that others made.
type KeyRef struct {
	Name     string `json:"name"`
	Existing string `json:"existing"`
	Key      string `json:"key"`
}

// Source returns the object that has the key.
func (k *KeyRef) Source() Source { return Source{Name: k.Name, Existing: k.Existing} }

// Source names a config or secret component, or an object that others made.
type Source struct {
	Name     string
	Existing string
}

// UnmarshalJSON reads the name of a component, or {existing: name}.
func (s *Source) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &s.Name)
	}
	var others struct {
		Existing string `json:"existing"`
	}
	err := Read(b, &others)
	s.Existing = others.Existing
	return err
}

// UnmarshalJSON reads a string or a reference.
func (v *Variable) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &v.Value)
	}
	type plain Variable
	return Read(b, (*plain)(v))
}

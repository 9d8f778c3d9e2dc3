package view

import (
	"bytes"
	"encoding/json"
)

// JSON returns an answer as indented JSON that ends with a line break. Characters that HTML gives a meaning to stay as they
// are.
func JSON(answer any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(answer); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

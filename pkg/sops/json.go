package sops

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// readJSON reads an object in the order of its keys.
func readJSON(data []byte) (branch, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	r := jsonReader{d, maxValues}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, wrong(ErrFormat, "something stands behind its object")
	}
	tree, ok := v.(branch)
	if !ok {
		return nil, wrong(ErrFormat, "it is no object of keys and values")
	}
	return tree, nil
}

type jsonReader struct {
	*json.Decoder
	left int
}

func (r *jsonReader) value(depth int) (any, error) {
	if r.left--; r.left < 0 || depth > maxDepth {
		return nil, wrong(ErrFormat, "it has more than %d values, or nests them more than %d deep", maxValues, maxDepth)
	}
	t, err := r.Token()
	if err != nil {
		return nil, wrong(ErrFormat, "it is no valid JSON")
	}
	switch t := t.(type) {
	case json.Delim:
		return r.inside(t == '{', depth)
	case json.Number:
		if i, err := t.Int64(); err == nil {
			return int(i), nil
		}
		f, err := t.Float64()
		if err != nil {
			return nil, wrong(ErrFormat, "it has a number that is too large")
		}
		return f, nil
	}
	return t, nil
}

// inside reads an object or an array to its end.
func (r *jsonReader) inside(object bool, depth int) (any, error) {
	b, list, seen := branch{}, []any{}, map[string]bool{}
	for r.More() {
		var key string
		if object {
			t, err := r.Token()
			name, ok := t.(string)
			if err != nil || !ok {
				return nil, wrong(ErrFormat, "it is no valid JSON")
			}
			if key = name; seen[key] {
				return nil, wrong(ErrFormat, "it has the key %s twice", place([]string{key}))
			}
			seen[key] = true
		}
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		b, list = append(b, item{&key, v}), append(list, v)
	}
	if _, err := r.Token(); err != nil {
		return nil, wrong(ErrFormat, "it is no valid JSON")
	}
	if object {
		return b, nil
	}
	return list, nil
}

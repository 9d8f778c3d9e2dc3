package status

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

// Format 1 wrote the same records in YAML, and lists as they are. It is read so that
// a branch can be migrated, and written so that an upgrade can be taken back.

// decodeFormat1 reads a record of format 1 strictly.
func decodeFormat1(b []byte, into any) error {
	switch v := into.(type) {
	case *capacity:
		return yaml.UnmarshalStrict(b, &v.Pools)
	case *problems:
		return yaml.UnmarshalStrict(b, &v.Problems)
	}
	return yaml.UnmarshalStrict(b, into)
}

// encodeFormat1 writes a record in format 1.
func encodeFormat1(v any) ([]byte, error) {
	switch list := v.(type) {
	case capacity:
		v = list.Pools
	case problems:
		v = list.Problems
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b, err = yaml.JSONToYAML(escapeForYAML(b))
	if err != nil {
		return nil, err
	}
	b = append([]byte("# Written by D-AROS; do not edit.\n"), b...)
	if len(b) > maxFile {
		return nil, fmt.Errorf("has %d bytes, at most %d are allowed", len(b), maxFile)
	}
	return b, nil
}

// escapeForYAML escapes the characters that JSON may hold literally and YAML may not,
// or reads as the end of a line: one of them in somebody's message would otherwise
// make the record unreadable.
func escapeForYAML(b []byte) []byte {
	bad := func(r rune) bool {
		return r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff
	}
	if !bytes.ContainsFunc(b, bad) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if bad(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}

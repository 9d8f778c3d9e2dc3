package apply

import (
	"bytes"

	apiwatch "k8s.io/apimachinery/pkg/watch"
)

// eventOf returns the type of an event of a watch and its object, nil if there is none.
func eventOf(event []byte) (apiwatch.EventType, []byte) {
	typ, _ := plain(rawMember(event, "type"))
	return apiwatch.EventType(typ), rawMember(event, "object")
}

// glance is what an object says of itself before it is decoded.
type glance struct{ namespace, name, version string }

// peek reads which object this is in which version. It reports false where it is not sure: then the object
// has to be decoded. It costs a small part of that.
func peek(object []byte) (seen glance, ok bool) {
	meta := rawMember(object, "metadata")
	var named, numbered bool
	if ok = true; rawMember(meta, "namespace") != nil {
		seen.namespace, ok = plain(rawMember(meta, "namespace"))
	}
	seen.name, named = plain(rawMember(meta, "name"))
	seen.version, numbered = plain(rawMember(meta, "resourceVersion"))
	return seen, ok && named && numbered
}

// rawMember returns the value of a member of a JSON object, nil if it has none or is no object.
func rawMember(object []byte, name string) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	for i := 1; ; i++ {
		i = space(object, i)
		end := rawEnd(object, i)
		if end < 0 || object[i] != '"' {
			return nil
		}
		key := object[i+1 : end-1]
		if i = space(object, end); i == len(object) || object[i] != ':' {
			return nil
		}
		i = space(object, i+1)
		if end = rawEnd(object, i); end < 0 {
			return nil
		}
		if string(key) == name {
			return object[i:end]
		}
		if i = space(object, end); i == len(object) || object[i] != ',' {
			return nil
		}
	}
}

// plain returns the text of a JSON string without escapes.
func plain(s []byte) (string, bool) {
	if len(s) < 2 || s[0] != '"' || bytes.IndexByte(s, '\\') >= 0 {
		return "", false
	}
	return string(s[1 : len(s)-1]), true
}

// space returns the index of the first byte from i that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// rawEnd returns the index behind the JSON value at i, -1 if it has no end.
func rawEnd(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = closing(b, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i // behind a number or a word
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// closing returns the index of the quote that ends the JSON string at i, -1 if there is none.
func closing(b []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

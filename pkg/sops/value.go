package sops

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"regexp"
	"strconv"
	"time"
)

// A branch is a mapping in the order of the file, with the comments between its items.
type branch []item

// An item without a key is a comment.
type item struct {
	key   *string
	value any // string, int, float64, bool, time.Time, nil, comment, branch or []any
}

// comment is a comment without its #.
type comment string

// sealed is how SOPS writes an encrypted value.
var sealed = regexp.MustCompile(`^ENC\[AES256_GCM,data:([A-Za-z0-9+/=]*),iv:([A-Za-z0-9+/=]+),tag:([A-Za-z0-9+/=]+),type:([a-z]+)\]$`)

// What is wrong with an encrypted value. The words go on after the place of it.
var (
	errNotSealed = errors.New("is not written as SOPS writes an encrypted value")
	errNotTrue   = errors.New("was changed after it was encrypted, or belongs elsewhere")
	errType      = errors.New("is not of the type that it is marked with")
)

// decrypt opens an encrypted value that belongs to a place. An empty text stays empty.
func decrypt(in string, key []byte, place string) (any, error) {
	if in == "" {
		return "", nil
	}
	parts := sealed.FindStringSubmatch(in)
	if parts == nil {
		return nil, errNotSealed
	}
	var raw [3][]byte // data, nonce, tag
	for i := range raw {
		var err error
		if raw[i], err = base64.StdEncoding.Strict().DecodeString(parts[i+1]); err != nil {
			return nil, errNotSealed
		}
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	if len(raw[1]) > 64 || len(raw[2]) != aes.BlockSize {
		return nil, errNotSealed
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, len(raw[1]))
	if err != nil {
		return nil, errNotSealed
	}
	plain, err := gcm.Open(nil, raw[1], append(raw[0], raw[2]...), []byte(place))
	if err != nil {
		return nil, errNotTrue
	}
	return typed(string(plain), parts[4])
}

// typed returns a value of a type that SOPS names.
func typed(s, kind string) (v any, err error) {
	switch kind {
	case "str", "bytes":
		return s, nil
	case "comment":
		return comment(s), nil
	case "int":
		v, err = strconv.Atoi(s)
	case "float":
		v, err = strconv.ParseFloat(s, 64)
	case "bool":
		v, err = strconv.ParseBool(s)
	case "time":
		v, err = time.Parse(time.RFC3339Nano, s)
	default:
		return nil, errType
	}
	if err != nil {
		return nil, errType // without the words of the parser, which repeat the value
	}
	return v, nil
}

// bytesOf returns a value as the message authentication code covers it.
func bytesOf(v any) []byte {
	if b, ok := v.(bool); ok {
		return []byte(map[bool]string{true: "True", false: "False"}[b])
	}
	return text(v)
}

// text returns a value as a Secret has it.
func text(v any) []byte {
	switch v := v.(type) {
	case string:
		return []byte(v)
	case int:
		return strconv.AppendInt(nil, int64(v), 10)
	case float64:
		return strconv.AppendFloat(nil, v, 'f', -1, 64)
	case bool:
		return strconv.AppendBool(nil, v)
	case time.Time:
		b, err := v.MarshalText()
		if err != nil {
			return []byte(v.String())
		}
		return b
	}
	return nil
}

// Package sops opens files that SOPS encrypted for age keys, and holds them to their
// message authentication code, as SOPS does. It reads YAML, JSON and dotenv. Its errors
// name keys of the file and never a value.
//
// It never writes such files, knows no other keys of SOPS than those of age, and asks
// nobody for a key.
package sops

import (
	"crypto/sha512"
	"crypto/subtle"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"regexp"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// Limits of a file.
const (
	maxSize       = 2 << 20
	maxDepth      = 20
	maxValues     = 20_000
	maxRecipients = 100
)

// Errors of a file; errors.Is tells them apart.
var (
	ErrFormat  = errors.New("it is no file of SOPS that can be read here")
	ErrChanged = errors.New("it is not as it was encrypted")
	ErrKey     = errors.New("no key opens it")
)

func wrong(kind error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))
}

// Open returns the values at the top level of a file, as bytes. The end of its name says
// how it is written.
func Open(name string, data []byte, keys []age.Identity) (map[string][]byte, error) {
	opened, err := open(name, data, keys)
	if err != nil {
		return nil, err
	}
	return flat(opened)
}

func open(name string, data []byte, keys []age.Identity) (branch, error) {
	if len(data) > maxSize {
		return nil, wrong(ErrFormat, "it has more than %d bytes", maxSize)
	}
	tree, meta, err := load(name, data)
	if err != nil {
		return nil, err
	}
	key, err := meta.dataKey(keys)
	if err != nil {
		return nil, err
	}
	o := opening{metadata: meta, key: key, mac: sha512.New()}
	if o.rules, err = meta.compile(); err != nil {
		return nil, err
	}
	if meta.macOnlyEncrypted {
		o.mac.Write(macOnlyEncrypted)
	}
	opened, err := o.branch(tree, nil, nil)
	if err != nil {
		return nil, err
	}
	return opened, o.verify()
}

func load(name string, data []byte) (branch, *metadata, error) {
	var tree branch
	var err error
	switch path.Ext(name) {
	case ".yaml", ".yml":
		tree, err = readYAML(data)
	case ".json":
		tree, err = readJSON(data)
	case ".env":
		return readDotenv(data)
	default:
		return nil, nil, wrong(ErrFormat, "its name ends with none of .yaml, .yml, .json and .env")
	}
	if err != nil {
		return nil, nil, err
	}
	return extract(tree)
}

// macOnlyEncrypted begins a code that covers encrypted values only: sha256("sops").
var macOnlyEncrypted = []byte{
	0x8a, 0x3f, 0xd2, 0xad, 0x54, 0xce, 0x66, 0x52, 0x7b, 0x10, 0x34, 0xf3, 0xd1, 0x47, 0xbe, 0x0b,
	0x0b, 0x97, 0x5b, 0x3b, 0xf4, 0x4f, 0x72, 0xc6, 0xfd, 0xad, 0xec, 0x81, 0x76, 0xf2, 0x7d, 0x69,
}

// opening is a file while it is opened.
type opening struct {
	*metadata
	rules rules
	key   []byte
	mac   hash.Hash
}

// branch opens a mapping.
func (o *opening) branch(in branch, at []string, comments [][]string) (out branch, err error) {
	comments = append(comments, nil)
	for _, it := range in {
		if it.key == nil {
			_, err = o.next(it.value, at, comments)
		} else if it.value, err = o.next(it.value, append(at[:len(at):len(at)], *it.key), comments); err == nil {
			out = append(out, it)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (o *opening) list(in []any, at []string, comments [][]string) (out []any, err error) {
	comments = append(comments, nil)
	for _, e := range in {
		v, err := o.next(e, at, comments)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// next opens the next value of a level. Comments stand before what they are about: those of each level
// that no value has followed yet decide, too, what is encrypted.
func (o *opening) next(in any, at []string, comments [][]string) (any, error) {
	level := &comments[len(comments)-1]
	c, about := in.(comment)
	if about {
		*level = append(*level, string(c))
	}
	v, err := o.value(in, at, comments)
	if !about {
		*level = nil
	}
	return v, err
}

// value opens a value and adds it to the code. That covers no comments.
func (o *opening) value(in any, at []string, comments [][]string) (any, error) {
	switch in := in.(type) {
	case nil:
		return nil, nil
	case branch:
		return o.branch(in, at, comments)
	case []any:
		return o.list(in, at, comments)
	}
	c, isComment := in.(comment)
	encrypted, v := o.rules.encrypted(at, comments, isComment), in
	if encrypted {
		text, ok := in.(string)
		if isComment {
			text, ok = string(c), true
		}
		if !ok {
			return nil, wrong(ErrChanged, "the value at %s is to be encrypted, and it is not", place(at))
		}
		var err error
		if v, err = decrypt(text, o.key, strings.Join(at, ":")+":"); isComment && err != nil {
			v = c // that nobody encrypted
		} else if err != nil {
			return nil, wrong(ErrChanged, "the value at %s %s", place(at), err)
		}
	}
	if _, now := v.(comment); !now && (encrypted || !o.macOnlyEncrypted) {
		o.mac.Write(bytesOf(v))
	}
	return v, nil
}

// verify compares the code of what was read with the code that SOPS wrote.
func (o *opening) verify() error {
	wrote, err := decrypt(o.code, o.key, o.lastModified)
	if err != nil {
		return wrong(ErrChanged, "its message authentication code (sops.mac) %s", err)
	}
	text, _ := wrote.(string)
	if subtle.ConstantTimeCompare([]byte(text), fmt.Appendf(nil, "%X", o.mac.Sum(nil))) != 1 {
		return wrong(ErrChanged, "its values do not have its message authentication code (sops.mac)")
	}
	return nil
}

// dataKey returns the key of the values. Each recipient has a copy of it.
func (m *metadata) dataKey(keys []age.Identity) ([]byte, error) {
	var damaged error
	for _, r := range m.recipients {
		from, err := age.Decrypt(armor.NewReader(strings.NewReader(r.enc)), keys...)
		var other *age.NoIdentityMatchError
		if errors.As(err, &other) {
			continue
		}
		var key []byte
		if err == nil {
			key, err = io.ReadAll(io.LimitReader(from, 64))
		}
		if err == nil && len(key) == 32 {
			return key, nil
		}
		damaged = wrong(ErrChanged, "the copy of its key for %s is damaged", r.name())
	}
	if damaged != nil {
		return nil, damaged
	}
	names := make([]string, len(m.recipients))
	for i, r := range m.recipients {
		names[i] = r.name()
	}
	return nil, wrong(ErrKey, "it is encrypted for %s, and the reconciler has none of these keys", strings.Join(names[:min(5, len(names))], ", "))
}

// name returns the public key of a recipient, as far as it looks like one. Keys that
// withstand quantum computers are long, so the beginning has to do.
func (r recipient) name() string {
	if !publicKey.MatchString(r.recipient) {
		return "a recipient without a name"
	}
	return r.recipient[:min(62, len(r.recipient))]
}

var publicKey = regexp.MustCompile(`^age1[a-z0-9]+$`)

// secretKey is a key of the data of a Secret.
var secretKey = regexp.MustCompile(`^[-._A-Za-z0-9]{1,253}$`)

// flat returns the values of a branch that has nothing below its values.
func flat(b branch) (map[string][]byte, error) {
	values := map[string][]byte{}
	for _, it := range b {
		if _, is := it.value.(comment); is {
			continue
		}
		switch it.value.(type) {
		case nil, branch, []any:
			return nil, wrong(ErrFormat, "%s is no text, number or boolean; the values of a secret stand at the top level", place([]string{*it.key}))
		}
		if !secretKey.MatchString(*it.key) {
			return nil, wrong(ErrFormat, "%s is no key of a Secret: letters, digits, -, _ and . only", place([]string{*it.key}))
		}
		values[*it.key] = text(it.value)
	}
	if len(values) == 0 {
		return nil, wrong(ErrFormat, "it has no values")
	}
	return values, nil
}

// place names a value for people.
func place(at []string) string {
	s := strings.Join(at, ".")
	return fmt.Sprintf("%.100q", s)
}

package sops

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/require"
)

// keys are those of the files in testdata.
func keys(t testing.TB) []age.Identity {
	f, err := os.Open("testdata/keys.txt")
	require.NoError(t, err)
	defer f.Close()
	all, err := age.ParseIdentities(f)
	require.NoError(t, err)
	return all
}

// sealedFiles are what sops 3.13.3 encrypted, by name.
func sealedFiles(t testing.TB) map[string][]byte {
	names, err := filepath.Glob("testdata/*.enc.*")
	require.NoError(t, err)
	files := map[string][]byte{}
	for _, name := range names {
		if filepath.Ext(name) == ".want" {
			continue
		}
		files[filepath.Base(name)], err = os.ReadFile(name)
		require.NoError(t, err)
	}
	require.Greater(t, len(files), 15)
	return files
}

// TestFilesOfSOPS: a file that real sops encrypted opens to the values to which real sops
// decrypts it (--output-type json).
func TestFilesOfSOPS(t *testing.T) {
	for name, data := range sealedFiles(t) {
		t.Run(name, func(t *testing.T) {
			values, err := Open(name, data, keys(t))
			recorded, missing := os.ReadFile("testdata/" + name + ".want")
			if missing != nil { // for a key that nobody here has
				require.ErrorIs(t, err, ErrKey)
				require.Contains(t, err.Error(), "it is encrypted for age1m9m5e8nv3nhq35v")
				return
			}
			var want map[string]any
			d := json.NewDecoder(bytes.NewReader(recorded))
			d.UseNumber()
			require.NoError(t, d.Decode(&want))
			if slices.ContainsFunc(slices.Collect(maps.Values(want)), nested) {
				require.ErrorIs(t, err, ErrFormat)
				require.Contains(t, err.Error(), `the values of a secret stand at the top level`)
				require.JSONEq(t, string(recorded), asJSON(t, name, data))
				return
			}
			require.NoError(t, err)
			have := map[string]string{}
			for key, value := range values {
				have[key] = string(value)
			}
			wanted := map[string]string{}
			for key, value := range want {
				switch v := value.(type) {
				case string:
					wanted[key] = v
				case bool:
					wanted[key] = map[bool]string{true: "true", false: "false"}[v]
				case json.Number:
					wanted[key] = v.String()
				}
			}
			require.Equal(t, wanted, have)
		})
	}
}

func nested(v any) bool {
	switch v.(type) {
	case map[string]any, []any, nil:
		return true
	}
	return false
}

// asJSON opens a file whole.
func asJSON(t *testing.T, name string, data []byte) string {
	tree, err := open(name, data, keys(t))
	require.NoError(t, err)
	b, err := json.Marshal(plain(tree))
	require.NoError(t, err)
	return string(b)
}

func plain(v any) any {
	switch v := v.(type) {
	case branch:
		m := map[string]any{}
		for _, it := range v {
			m[*it.key] = plain(it.value)
		}
		return m
	case []any:
		list := []any{}
		for _, e := range v {
			if _, is := e.(comment); !is {
				list = append(list, plain(e))
			}
		}
		return list
	case time.Time:
		return string(text(v))
	}
	return v
}

// TestFlippedByte: no byte of what SOPS protects can be another one: those of values, nonces
// and tags, of the code and its time, and of the encrypted key. What opens all the same has
// the same values. Only the author of a file can leave its clear values unprotected
// (mac_only_encrypted).
func TestFlippedByte(t *testing.T) {
	for _, name := range []string{"plain.enc.yaml", "plain.enc.env", "binary.enc.json", "eregex.enc.yaml"} {
		t.Run(name, func(t *testing.T) {
			data, key := sealedFiles(t)[name], keys(t)[:1]
			want, err := Open(name, data, key)
			require.NoError(t, err)
			protected := 0
			for at := range data {
				changed := bytes.Clone(data)
				changed[at] ^= 1
				have, err := Open(name, changed, key)
				line := string(data[bytes.LastIndexByte(data[:at], '\n')+1 : at+1])
				if strings.Contains(line, "ENC[AES256_GCM,") && !strings.HasPrefix(line, "#") || strings.Contains(line, "lastmodified") && strings.Contains(line, ":") {
					protected++
				}
				if err == nil {
					require.Equal(t, values(want), values(renamed(have, want)), "byte %d, %q", at, line)
					require.False(t, strings.Contains(line, "ENC[") && !strings.HasPrefix(line, "#"), "byte %d, %q", at, line)
					continue
				}
				for _, value := range want {
					require.False(t, len(value) > 5 && strings.Contains(err.Error(), string(value)), err)
				}
			}
			require.Greater(t, protected, 100)
		})
	}
}

// renamed gives values that differ in the name of one clear key only their names back: SOPS
// protects the names of encrypted values alone.
func renamed(have, want map[string][]byte) map[string][]byte {
	for key, value := range have {
		if _, ok := want[key]; ok {
			continue
		}
		for was := range want {
			if _, ok := have[was]; !ok && bytes.Equal(want[was], value) {
				delete(have, key)
				have[was] = value
				return have
			}
		}
	}
	return have
}

func values(m map[string][]byte) map[string]string {
	out := map[string]string{}
	for key, value := range m {
		out[key] = string(value)
	}
	return out
}

// TestRefusedFiles: what is refused says why, by its sort.
func TestRefusedFiles(t *testing.T) {
	files := sealedFiles(t)
	edit := func(name, old, new string) []byte {
		require.Contains(t, string(files[name]), old)
		return []byte(strings.Replace(string(files[name]), old, new, 1))
	}
	lines := strings.SplitAfter(string(files["plain.enc.env"]), "\n")
	for _, c := range []struct {
		what, name string
		data       []byte
		kind       error
		says       string
	}{
		{"plain text", "db.yaml", []byte("password: x\n"), ErrFormat, "it has no sops.mac, so it is not encrypted"},
		{"plain dotenv", "db.env", []byte("PASSWORD=x\n"), ErrFormat, "so it is not encrypted"},
		{"nothing", "db.json", nil, ErrFormat, "no valid JSON"},
		{"another format", "db.ini", files["plain.enc.env"], ErrFormat, "its name ends with none of .yaml, .yml, .json and .env"},
		{"too large", "db.yaml", bytes.Repeat([]byte("#"), maxSize+1), ErrFormat, "more than 2097152 bytes"},
		{"two documents", "db.yaml", append([]byte("a: 1\n---\n"), files["plain.enc.yaml"]...), ErrFormat, "several documents"},
		{"an alias", "db.yaml", append([]byte("a: &a [x]\nb: *a\n"), files["plain.enc.yaml"]...), ErrFormat, "has an alias"},
		{"a key twice", "db.yaml", append([]byte("user: x\n"), files["plain.enc.yaml"]...), ErrFormat, "has a key that is there already"},
		{"deep", "db.json", []byte(strings.Repeat(`{"a":`, 100)), ErrFormat, "more than 20 deep"},
		{"two rules", "db.yaml", edit("plain.enc.yaml", "unencrypted_suffix:", "encrypted_regex: x\n    unencrypted_suffix:"), ErrFormat, "several rules"},
		{"groups of keys", "db.yaml", edit("plain.enc.yaml", "sops:\n", "sops:\n    key_groups: [{}]\n"), ErrFormat, "several groups of keys"},
		{"no age key", "db.yaml", edit("plain.enc.yaml", "    age:", "    pgp:"), ErrKey, "encrypted for no age key"},
		{"a value that is not encrypted", "db.yaml", append([]byte("more: 5\n"), files["plain.enc.yaml"]...), ErrChanged, `the value at "more" is to be encrypted, and it is not`},
		{"a text that is not encrypted", "db.yaml", append([]byte("more: text\n"), files["plain.enc.yaml"]...), ErrChanged, `the value at "more" is not written as SOPS writes`},
		{"a value that is gone", "db.env", []byte(strings.Join(lines[2:], "")), ErrChanged, "message authentication code"},
		{"a value elsewhere", "db.env", edit("plain.enc.env", "USER=", "SELF="), ErrChanged, `the value at "SELF" was changed after it was encrypted, or belongs elsewhere`},
		{"another time", "db.env", edit("plain.enc.env", "lastmodified=2", "lastmodified=3"), ErrChanged, "message authentication code (sops.mac) was changed"},
		{"a damaged key", "db.env", edit("plain.enc.env", `\n-----END`, `AAAA\n-----END`), ErrChanged, "the copy of its key for age1"},
		{"a clear value under the code", "db.yaml", edit("uregex.enc.yaml", "user: shop", "user: mall"), ErrChanged, "its values do not have its message authentication code"},
	} {
		t.Run(c.what, func(t *testing.T) {
			values, err := Open(c.name, c.data, keys(t))
			require.Nil(t, values)
			require.ErrorIs(t, err, c.kind)
			require.Contains(t, err.Error(), c.says)
		})
	}
}

// FuzzOpen: whatever a file has, it is opened or refused by a sort of error, and no refusal
// repeats a value.
func FuzzOpen(f *testing.F) {
	extensions := []string{".yaml", ".json", ".env"}
	for name, data := range sealedFiles(f) {
		f.Add(slices.Index(extensions, filepath.Ext(name)), data)
	}
	all := keys(f)
	f.Fuzz(func(t *testing.T, kind int, data []byte) {
		if kind < 0 || kind >= len(extensions) {
			return
		}
		values, err := Open("db"+extensions[kind], data, all)
		if err == nil {
			require.NotEmpty(t, values)
			return
		}
		require.Nil(t, values)
		require.True(t, errors.Is(err, ErrFormat) || errors.Is(err, ErrChanged) || errors.Is(err, ErrKey), err)
		require.NotContains(t, err.Error(), "canary")
	})
}

package sops

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// metadata is what SOPS writes about a file, as far as it serves to open it.
type metadata struct {
	recipients       []recipient
	code             string // the encrypted message authentication code
	lastModified     string // which belongs to the code
	macOnlyEncrypted bool
	fields           map[string]string // by name, with the rule about what is encrypted
}

type recipient struct {
	recipient string // public key
	enc       string // the key of the values, encrypted for it
}

// ruleNames are the names of rules about what is encrypted.
var ruleNames = []string{
	"encrypted_comment_regex", "encrypted_regex", "encrypted_suffix",
	"unencrypted_comment_regex", "unencrypted_regex", "unencrypted_suffix",
}

// extract separates what SOPS wrote about a file from its values.
func extract(tree branch) (branch, *metadata, error) {
	i := slices.IndexFunc(tree, func(it item) bool { return it.key != nil && *it.key == "sops" })
	if i < 0 {
		return nil, nil, errPlain
	}
	about, ok := tree[i].value.(branch)
	if !ok {
		return nil, nil, errPlain
	}
	fields := map[string]string{}
	var recipients []recipient
	for _, it := range about {
		if it.key == nil {
			continue
		}
		switch v := it.value.(type) {
		case string, bool:
			fields[*it.key] = string(text(v))
		case []any:
			if *it.key == "key_groups" && len(v) > 0 {
				fields["key_groups"] = "some"
			}
			if *it.key != "age" {
				continue
			}
			for _, e := range v {
				if b, ok := e.(branch); ok {
					recipients = append(recipients, recipient{b.text("recipient"), b.text("enc")})
				}
			}
		}
	}
	m, err := newMetadata(fields, recipients)
	return slices.Delete(tree, i, i+1), m, err
}

var errPlain = wrong(ErrFormat, "it has no sops.mac, so it is not encrypted; encrypt it with sops before it is committed, and change its values, which the history of the repo has now")

func (b branch) text(key string) string {
	for _, it := range b {
		if s, ok := it.value.(string); ok && it.key != nil && *it.key == key {
			return s
		}
	}
	return ""
}

// flatMetadata reads what SOPS writes about a file without nesting: sops_age__list_0__map_enc.
func flatMetadata(flat map[string]string) (*metadata, error) {
	fields, byPlace := map[string]string{}, map[int]recipient{}
	for name, value := range flat {
		if strings.HasPrefix(name, "key_groups__") {
			fields["key_groups"] = "some"
		}
		rest, ok := strings.CutPrefix(name, "age__list_")
		if !ok {
			fields[name] = value
			continue
		}
		number, field, _ := strings.Cut(rest, "__map_")
		i, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		r := byPlace[i]
		switch field {
		case "recipient":
			r.recipient = value
		case "enc":
			r.enc = value
		}
		byPlace[i] = r
	}
	return newMetadata(fields, slices.SortedFunc(maps.Values(byPlace), func(a, b recipient) int {
		return cmp.Or(strings.Compare(a.recipient, b.recipient), strings.Compare(a.enc, b.enc))
	}))
}

func newMetadata(fields map[string]string, recipients []recipient) (*metadata, error) {
	m := &metadata{recipients: recipients, code: fields["mac"], macOnlyEncrypted: fields["mac_only_encrypted"] == "true", fields: fields}
	modified, err := time.Parse(time.RFC3339, fields["lastmodified"])
	switch {
	case m.code == "":
		return nil, errPlain
	case err != nil:
		return nil, wrong(ErrFormat, "sops.lastmodified is no time")
	case fields["key_groups"] != "":
		return nil, wrong(ErrFormat, "it splits its key between several groups of keys, which is not supported here")
	case len(recipients) == 0:
		return nil, wrong(ErrKey, "it is encrypted for no age key; other keys of SOPS are not supported here")
	case len(recipients) > maxRecipients:
		return nil, wrong(ErrFormat, "it has more than %d recipients", maxRecipients)
	}
	m.lastModified = modified.Format(time.RFC3339)
	return m, nil
}

package decode

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
)

// firstStartDoc is what cloud-init of a virtual machine reads.
type firstStartDoc struct {
	UserData json.RawMessage `json:"userData"`
	Secret   json.RawMessage `json:"secret"`
	Network  json.RawMessage `json:"network"`
}

// firstStart refuses secrets in the user data of a machine: the status branch and the cluster show it to everybody who may read there.
func (s *secretsOf) firstStart(d firstStartDoc) {
	s.existing(d.Secret, ".properties.cloudInit.secret.existing")
	for _, part := range []struct {
		path string
		raw  json.RawMessage
	}{{".properties.cloudInit.userData", d.UserData}, {".properties.cloudInit.network", d.Network}} {
		var value any
		if json.Unmarshal(part.raw, &value) == nil {
			s.plain(part.path, "", value)
		}
	}
}

// plain looks for texts that are secrets: below a key that says so, or by what they are.
func (s *secretsOf) plain(path, key string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := key
			if HoldsSecret(s.doc.Names, name, "") || name == "ssh_keys" { // the keys of the host itself
				below = name
			}
			s.plain(path+"."+name, below, v[name])
		}
	case []any:
		for i := range v {
			s.plain(fmt.Sprintf("%s.%d", path, i), key, v[i])
		}
	case string:
		if v != "" && key != "" || HoldsSecret(nil, "", v) || strings.Contains(v, "PRIVATE KEY-----") {
			s.bad(catalogue.UserData, path, "is a secret in user data, which everybody reads who may read the machine; have the user data in the key userdata of a secret component (cloudInit.secret)")
		}
	}
}

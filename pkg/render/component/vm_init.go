package component

import (
	"encoding/json"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// cloudInit is what a guest does when it first starts.
type cloudInit struct {
	By       string           `json:"by"`
	UserData json.RawMessage  `json:"userData"`
	Secret   *declared.Source `json:"secret"`
	Network  json.RawMessage  `json:"network"`
}

// maxUserData is what KubeVirt takes of cloud-init in a machine, in bytes.
const maxUserData = 2048

// firstStart returns what cloud-init in the guest reads, nil for nothing. JSON is YAML, and its keys are in order.
func (m *machine) firstStart() (map[string]any, error) {
	c, userData, secret := m.CloudInit, "", map[string]any{}
	switch {
	case c == nil:
		return nil, nil
	case (c.Secret == nil) == (c.UserData == nil):
		return nil, declared.Faultf(declared.CodeConflict, "properties.cloudInit", "has its user data here or in a secret: write either userData or secret")
	case c.Secret != nil: // with the key userdata
		object, err := m.known.Source("properties.cloudInit.secret", "secret", *c.Secret, new([]string))
		if err != nil {
			return nil, err
		}
		secret["name"] = object.Name
	default:
		userData = "#cloud-config\n" + string(c.UserData) + "\n"
	}
	for _, part := range []struct{ field, text string }{{"userData", userData}, {"network", string(c.Network)}} {
		if n := len(part.text); n > maxUserData {
			return nil, declared.Faultf(declared.CodeSize, "properties.cloudInit."+part.field, "has %d bytes, and KubeVirt takes at most %d; have it in the key userdata of a secret component", n, maxUserData)
		}
	}
	source := "cloudInitNoCloud"
	if c.By == "ConfigDrive" {
		source = "cloudInitConfigDrive"
	}
	return map[string]any{source: declared.Given(map[string]any{"userData": userData, "networkData": string(c.Network), "secretRef": secret})}, nil
}

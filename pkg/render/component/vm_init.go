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

// firstStart returns the disk that cloud-init reads, nil without one. JSON is YAML, and its keys are in order.
func (m *machine) firstStart() (*guestVolume, error) {
	c := m.CloudInit
	if c == nil {
		return nil, nil
	}
	start := &firstStart{NetworkData: string(c.Network)}
	switch {
	case (c.Secret == nil) == (c.UserData == nil):
		return nil, declared.Faultf(declared.CodeConflict, "properties.cloudInit", "has its user data here or in a secret: write either userData or secret")
	case c.Secret != nil:
		object, err := m.known.Source("properties.cloudInit.secret", "secret", *c.Secret, new([]string))
		if err != nil {
			return nil, err
		}
		start.Secret = &object
	default:
		start.UserData = "#cloud-config\n" + string(c.UserData) + "\n"
	}
	for _, part := range []struct{ field, text string }{{"userData", start.UserData}, {"network", start.NetworkData}} {
		if n := len(part.text); n > maxUserData {
			return nil, declared.Faultf(declared.CodeSize, "properties.cloudInit."+part.field, "has %d bytes, and KubeVirt takes at most %d; have it in the key userdata of a secret component", n, maxUserData)
		}
	}
	volume := &guestVolume{Name: "cloudinit"}
	if c.By == "ConfigDrive" {
		volume.ConfigDrive = start
	} else {
		volume.NoCloud = start
	}
	return volume, nil
}

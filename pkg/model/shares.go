package model

import (
	"maps"
	"strings"
)

// ofShares ends the name of the shares of a device, as the device plugin of NVIDIA renames what it shares.
const ofShares = ".shared"

// SharesOf names the shares of a device.
func SharesOf(device string) string { return device + ofShares }

// SharedDevice returns the device that a resource is a share of.
func SharedDevice(resource string) (device string, ok bool) {
	return strings.CutSuffix(resource, ofShares)
}

// Shared returns r with shares in the place of each device that is shared: so many of each, and none whole. A device
// plugin that shares devices offers none of them whole either, so nothing counts twice.
func (r Resources) Shared(shares map[string]int64) Resources {
	r.Devices = maps.Clone(r.Devices)
	for device, each := range shares {
		if n := r.Devices[device]; n > 0 {
			r.Devices[SharesOf(device)] = n * each
			delete(r.Devices, device)
		}
	}
	return r
}

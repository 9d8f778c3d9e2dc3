//go:build linux

package nodeagent

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos/network"
)

// probeUplink says through which interface the host sends, and what is known of it.
func probeUplink() Finding {
	f := Finding{Name: "uplink", State: no, Means: "no interface leads away from the host: nothing has to be shaped"}
	device, rate, err := network.Uplink()
	switch {
	case err != nil:
		f.State, f.Detail, f.Means = unknown, err.Error(), "needs a socket of netlink to find out"
	case device == "":
	case rate == 0:
		f.State, f.Detail, f.Means = unknown, device+", whose driver does not say how fast it is", "it can be shaped with --network-rate"
	default:
		f.State, f.Detail, f.Means = yes, device+", "+model.FormatBitrate(rate)+" bit/s", "it can be shaped with --network"
	}
	return f
}

package solve

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// unshared says that pools have a device whole of which shares are asked for, "" if they do not: D-AROS counts what nodes
// offer, and shares are made by their device plugin.
func (g gate) unshared(resource int, pools []int) string {
	device, share := model.SharedDevice(g.Names[resource])
	r, known := g.Index[device]
	if !share || !known {
		return ""
	}
	var whole int64
	for _, at := range pools {
		whole += g.Pools[at].Offered[r]
	}
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d %s whole, which its device plugin does not share", whole, device)
}

package decode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// sharing checks how many shares a pool makes of each of its devices, and returns the capacity that it declares with the
// shares in the place of the devices. Nodes offer themselves what their device plugin makes of them.
func (d poolDoc) sharing(pool string, capacity model.Resources, own *layer.Layer) (model.Resources, []model.Problem) {
	var problems []model.Problem
	for _, device := range slices.Sorted(maps.Keys(d.Shares)) {
		blame := func(code, text string, other ...string) {
			problems = append(problems, blameBoth(own, code, text, []string{"platform", "pools", pool, "shares", device}, append([]string{"platform", "pools", pool}, other...)))
		}
		capacityOf := []string{"capacity", "devices", device}
		if d.Capacity == nil {
			capacityOf = []string{"nodes"}
		}
		switch _, share := model.SharedDevice(device); {
		case d.Shares[device] < 2:
			blame(catalogue.Shares, fmt.Sprintf("makes %d of a %s, and what is shared makes at least 2", d.Shares[device], device), capacityOf...)
		case share:
			blame(catalogue.SharesOfUnknown, device+" is a share itself", capacityOf...)
		case d.Capacity == nil: // the nodes know what they offer
		case d.Capacity.Devices[device] == 0:
			blame(catalogue.SharesOfUnknown, "shares "+device+", of which the capacity of the pool has none", capacityOf...)
		case d.Capacity.Devices[model.SharesOf(device)] > 0:
			blame(catalogue.SharesTwice, "shares "+device+", and the capacity of the pool has shares of it as well", "capacity", "devices", model.SharesOf(device))
		}
	}
	if problems != nil {
		return capacity, problems
	}
	return capacity.Shared(d.Shares), nil
}

// blameBoth blames the value at one path and names the place of another, or of the nearest value around it. The names in
// the paths may have dots.
func blameBoth(own *layer.Layer, code, text string, path, other []string) model.Problem {
	p := own.Blame(code, strings.Join(path, "."), text)
	if _, at := own.Nearest(path...); at != "" {
		p.Places[0].At = at
	}
	if _, at := own.Nearest(other...); at != "" {
		p.Places = append(p.Places, model.Place{At: at, Note: strings.Join(other, ".")})
	}
	return p
}

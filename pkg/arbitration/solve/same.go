package solve

import (
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// SameGrants reports whether two lists of grants take the same of the same pools.
// Topology domains are hints and do not count.
func SameGrants(x, y []model.Grant) bool {
	return slices.EqualFunc(x, y, func(g, h model.Grant) bool { return SameGrant(&g, &h) })
}

func SameGrant(x, y *model.Grant) bool {
	return x.Component == y.Component && x.Replicas == y.Replicas && x.Surge == y.Surge && x.QoS == y.QoS && x.Pool == y.Pool &&
		x.Requests.CPU == y.Requests.CPU && x.Requests.Memory == y.Requests.Memory && len(x.Requests.Devices) == len(y.Requests.Devices) &&
		(len(x.Requests.Devices) == 0 || reflect.DeepEqual(x.Requests.Devices, y.Requests.Devices))
}

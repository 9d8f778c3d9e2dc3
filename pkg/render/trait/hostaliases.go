package trait

import (
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "hostAliases", Process: reading("hostAliases", hostAliases)})

// alias gives names to an address.
type alias struct {
	IP    string   `json:"ip"`
	Names []string `json:"names"`
}

// hostAliases adds lines to /etc/hosts of the pods. An address has one line.
func hostAliases(_ Context, all []alias) (patch Patch, err error) {
	seen := map[netip.Addr]bool{}
	for i, a := range all {
		path := fmt.Sprintf("traits.hostAliases.%d", i)
		ip, err := netip.ParseAddr(a.IP)
		switch {
		case err != nil:
			return patch, declared.Faultf(declared.CodeUnreadable, path+".ip", "%q is not an address such as 192.0.2.10", a.IP)
		case seen[ip]:
			return patch, declared.Faultf(declared.CodeConflict, path+".ip", "is %s, and so is that of another entry; write its names together", ip)
		case len(a.Names) == 0:
			return patch, declared.Faultf(declared.CodeUnreadable, path+".names", "is empty")
		}
		seen[ip] = true
		patch.Pod.Hosts = append(patch.Pod.Hosts, corev1.HostAlias{IP: ip.String(), Hostnames: a.Names})
	}
	return patch, nil
}

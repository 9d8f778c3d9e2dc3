package outbound

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
)

// destination parses an address. It returns an error unless one of the hosts covers it.
func destination(address string, hosts []string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, &failure{ClassRefused, "the address cannot be read"} // err quotes the address
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.User != nil:
		return nil, &failure{ClassRefused, "an address is https://host/path or http://host/path, without user"}
	}
	host := strings.ToLower(u.Hostname())
	if covered(host, hosts) {
		return u, nil
	}
	return nil, &failure{ClassRefused, fmt.Sprintf("policy does not allow calls to %s (egress.hosts)", text.Line(host, maxMessage))}
}

// covered reports whether hosts has the host, or *.example.com for a host below
// example.com.
func covered(host string, hosts []string) bool {
	return slices.ContainsFunc(hosts, func(h string) bool {
		below, wide := strings.CutPrefix(h, "*")
		return host == h || wide && strings.HasPrefix(below, ".") && len(host) > len(below) && strings.HasSuffix(host, below)
	})
}

// Within returns the part of hosts that a policy allows.
func Within(hosts, policy []string) (left []string) {
	for _, h := range hosts {
		if covered(h, policy) {
			left = append(left, h)
		}
	}
	for _, h := range policy {
		if covered(h, hosts) && !slices.Contains(left, h) {
			left = append(left, h)
		}
	}
	return left
}

// dialer connects to hosts, but not to internal addresses.
type dialer struct {
	private bool // internal addresses are allowed
	plain   net.Dialer
	guarded net.Dialer // checks each address just before it connects
}

func newDialer(private bool) *dialer {
	const timeout = 5 * time.Second
	return &dialer{
		private: private,
		plain:   net.Dialer{Timeout: timeout},
		guarded: net.Dialer{Timeout: timeout, Control: outsideOnly},
	}
}

// dial connects to an address. A literal address is allowed, because policy has to name
// it. A name may resolve to another address each time, so the guarded dialer checks the
// address that it connects to.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil || d.private {
		return d.plain.DialContext(ctx, network, address)
	}
	return d.guarded.DialContext(ctx, network, address)
}

// outsideOnly refuses to connect to an internal address.
func outsideOnly(network, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return &failure{ClassRefused, "it is at an address that cannot be read"}
	}
	if a := at.Addr().Unmap(); inside(a) {
		return &failure{ClassRefused, fmt.Sprintf("it is at %s, which is not outside; policy may allow that address as such (egress.hosts)", a)}
	}
	return nil
}

// inner are the internal addresses beside those that net/netip knows: this network,
// carrier-grade NAT, protocols, tests, documentation, reserved ranges, and IPv6
// addresses that embed an IPv4 address.
var inner = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
	"fec0::/10")

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, t := range texts {
		all = append(all, netip.MustParsePrefix(t))
	}
	return all
}

// inside reports whether an address is internal: not one of the public Internet.
func inside(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return true // loopback, link-local with the metadata of clouds, multicast, private
	}
	for _, p := range inner {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

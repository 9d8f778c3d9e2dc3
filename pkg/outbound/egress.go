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

	"github.com/d-aros/d-aros/pkg/model"
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
	return u, allowed(u, hosts)
}

// allowed returns an error unless one of the hosts covers that of an address.
func allowed(u *url.URL, hosts []string) error {
	host := strings.ToLower(u.Hostname())
	if model.CoversHost(hosts, host) {
		return nil
	}
	return &failure{ClassRefused, fmt.Sprintf("policy does not allow calls to %s (egress.hosts)", text.Line(host, maxMessage))}
}

// Within returns the part of hosts that a policy allows.
func Within(hosts, policy []string) (left []string) {
	left = slices.DeleteFunc(slices.Clone(hosts), func(h string) bool { return !model.CoversHost(policy, h) })
	for _, h := range policy {
		if model.CoversHost(hosts, h) && !slices.Contains(left, h) {
			left = append(left, h)
		}
	}
	return left
}

// Reach is how far the requests of tenants go beside the public Internet.
type Reach struct {
	// Internal are networks that a name in policy may resolve to, although they are internal. This machine, link-local
	// addresses with the metadata of clouds, and multicast are never among them.
	Internal []netip.Prefix
	// Never is what nobody may contact, by a name or by its address: the API server.
	Never []netip.AddrPort
}

// Dial connects to an address. A literal address is allowed if it is not link-local, because policy has to name it. A name may
// resolve to another address each time, so the address is checked just before the connection is made.
func (r Reach) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	_, err = netip.ParseAddr(host)
	named := err == nil
	d := net.Dialer{Timeout: 5 * time.Second, Control: func(network, address string, _ syscall.RawConn) error {
		return r.check(network, address, named)
	}}
	return d.DialContext(ctx, network, address)
}

// check returns an error unless a connection to the address may be made. With named, policy names the very address.
func (r Reach) check(network, address string, named bool) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return &failure{ClassRefused, "it is at an address that cannot be read"}
	}
	a := at.Addr().Unmap().WithZone("")
	switch {
	case slices.Contains(r.Never, netip.AddrPortFrom(a, at.Port())):
		return &failure{ClassRefused, fmt.Sprintf("it is at %s, the API server, which no application may contact", a)}
	case a.IsLinkLocalUnicast():
		return &failure{ClassRefused, fmt.Sprintf("it is at %s, a link-local address, which no application may contact", a)}
	case named || !inside(a) || !a.IsLoopback() && a.IsGlobalUnicast() && slices.ContainsFunc(r.Internal, func(p netip.Prefix) bool { return p.Contains(a) }):
		return nil
	}
	return &failure{ClassRefused, fmt.Sprintf("it is at %s, which is not outside; policy may allow that address as such (egress.hosts)", a)}
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
	// Not global are loopback, link-local with the metadata of clouds, and multicast.
	return !a.IsGlobalUnicast() || a.IsPrivate() || slices.ContainsFunc(inner, func(p netip.Prefix) bool { return p.Contains(a) })
}

package model

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Isolation is what traffic the pods of a tenant exchange.
type Isolation string

// Values of Isolation. Records of tenants that are older than the field are open.
const (
	IsolationOpen   Isolation = ""       // any
	IsolationLocked Isolation = "locked" // what is declared
)

// PodSecurity is the Pod Security Standard that holds for the pods of a tenant.
type PodSecurity string

// Values of PodSecurity. Records of tenants that are older than the field are baseline.
const (
	PodSecurityBaseline   PodSecurity = ""
	PodSecurityRestricted PodSecurity = "restricted"
)

// Network is the traffic of locked tenants that the platform decides about.
type Network struct {
	Ingress []Origin    `json:"ingress,omitempty"` // of requests of clients; none: all namespaces that belong to no tenant
	Links   [][2]string `json:"links,omitempty"`   // tenants whose allotments name each other, in order
}

// IsZero reports whether the platform says nothing.
func (n Network) IsZero() bool { return len(n.Ingress)+len(n.Links) == 0 }

// Origin is where requests of clients come from: pods, or the addresses of a CIDR.
type Origin struct {
	Namespaces map[string]string `json:"namespaces,omitempty"` // labels
	Pods       map[string]string `json:"pods,omitempty"`       // labels; none: all pods of the namespaces
	CIDR       string            `json:"cidr,omitempty"`
}

// Linked reports whether components of two tenants may connect to each other.
func (n *Network) Linked(a, b string) bool {
	return slices.Contains(n.Links, [2]string{min(a, b), max(a, b)})
}

// With lists the tenants that a tenant is linked with.
func (n *Network) With(tenant string) (others []string) {
	for _, pair := range n.Links {
		if at := slices.Index(pair[:], tenant); at >= 0 {
			others = append(others, pair[1-at])
		}
	}
	return others
}

// A Peer is a component of an application that another one connects to.
type Peer struct {
	App       AppID
	Component string
}

// PeerOf reads "application/component" of a tenant, or "tenant/application/component".
func PeerOf(tenant, text string) Peer {
	parts := strings.SplitN(text, "/", 3)
	for len(parts) < 3 {
		parts = append([]string{tenant}, parts...)
	}
	return Peer{AppID{Tenant: parts[0], Name: parts[1]}, parts[2]}
}

// An Exit is where pods may call outside the cluster.
type Exit struct {
	CIDR     netip.Prefix
	Port     int    // 0: all ports of all protocols
	Protocol string // TCP or UDP, of the port
}

// ParseExit reads "203.0.113.0/24", with a port "203.0.113.0/24:443", of UDP
// "203.0.113.0/24:53/UDP".
func ParseExit(text string) (e Exit, err error) {
	address, rest, _ := strings.Cut(text, "/")
	bits, port, limited := strings.Cut(rest, ":")
	if e.CIDR, err = ParseCIDR(address + "/" + bits); err != nil || !limited {
		return e, err
	}
	number, protocol, said := strings.Cut(port, "/")
	if e.Port, err = strconv.Atoi(number); err != nil || e.Port < 1 || e.Port > 65535 {
		return e, fmt.Errorf("%q is not a port from 1 to 65535", number)
	}
	if e.Protocol = "TCP"; said {
		e.Protocol = protocol
	}
	return e, nil
}

// ParseCIDR reads the addresses of a network, written with its first one.
func ParseCIDR(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return p, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
	case p != p.Masked():
		return p, fmt.Errorf("%s is an address in the network %s; write the network", text, p.Masked())
	}
	return p, nil
}

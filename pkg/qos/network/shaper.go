//go:build linux

package network

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Config is what the operator says about the network of a host.
type Config struct {
	Device  string   // through which the node sends, "" for none: nothing is shaped
	Rate    int64    // bits in a second, 0: what the driver says
	Replace bool     // take the place of a queueing discipline of others
	Pace    bool     // by the time at which packets leave (EDT), which needs fq, and not by the queues of HTB
	Pods    []string // how the names of the host's ends of pods' interfaces begin
}

// Check returns an error unless the names can be those of interfaces.
func (c Config) Check() error {
	for _, name := range append([]string{c.Device}, c.Pods...) {
		if len(name) >= unix.IFNAMSIZ || strings.ContainsAny(name, "/ \t\n") || name == "." || name == ".." {
			return fmt.Errorf("%.40q cannot name a network interface", name)
		}
	}
	if c.Device == "" && (c.Rate != 0 || c.Replace || c.Pace || len(c.Pods) > 0) {
		return errors.New("no interface is named to shape")
	}
	return nil
}

// Shaper shapes what a host sends. It is for one goroutine.
type Shaper struct {
	cfg     Config
	net     *netlink.Handle
	journal journal
	root    string            // kind of the discipline that shapes
	lacks   string            // what the kernel said that it lacks
	knows   bool              // the kernel was asked for its abilities
	plain   bool              // the kernel has no fq_codel
	marker  *marker           // nil until it is needed
	done    map[string]string // values that this process has set, by part
	pods    map[int]bool      // interfaces of pods that have the program, by index
	names   string            // of all interfaces, when those of pods were looked at
	turns   int
	Sent    map[uint16]qos.Sent // what the classes had sent when the last application began, by their numbers
}

// Open opens the network of the network namespace of its thread, with the journal that save
// was last called with, none at first. Callers close the shaper; what it has set stays.
func Open(cfg Config, data []byte, save func([]byte) error) (*Shaper, error) {
	j, err := loadJournal(data, save)
	if err != nil {
		return nil, err
	}
	h, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open the network of the host: %w", err)
	}
	root := "htb"
	if cfg.Pace {
		root = departures
	}
	return &Shaper{cfg: cfg, net: h, journal: j, root: root, done: map[string]string{}, pods: map[int]bool{}}, nil
}

// Close gives back what the process has open.
func (s *Shaper) Close() {
	s.net.Close()
	s.marker.close()
}

// Link says what the host can shape.
func (s *Shaper) Link() qos.Link {
	l := qos.Link{Device: s.cfg.Device, Rate: s.cfg.Rate, Paces: s.cfg.Pace, Lacks: s.lacks}
	if l.Device == "" || l.Lacks != "" {
		return l
	}
	link, err := s.net.LinkByName(l.Device)
	if err != nil {
		l.Lacks = l.Device + ": there is no such network interface"
		return l
	}
	if l.Rate == 0 {
		l.Rate = speed("/sys/class/net", l.Device)
	}
	root, err := s.rootOf(link)
	switch {
	case l.Rate == 0:
		l.Lacks = l.Device + ": its driver does not say how fast it is: say --network-rate"
	case err != nil:
		l.Lacks = l.Device + ": " + err.Error()
	case root.foreign() && !s.cfg.Replace:
		l.Lacks = fmt.Sprintf("%s: %s %s is in place there, which the agent did not make: --network-replace takes its place", l.Device, root.kind, netlink.HandleStr(root.handle))
	default:
		if !s.knows {
			s.lacks, s.knows = s.ask(link, root), true
		}
		l.Lacks = s.lacks
	}
	return l
}

// Uplink returns the interface of the default route of this host, "" if there is none, and how
// many bits in a second its driver says it has, 0 if it does not say.
func Uplink() (device string, rate int64, err error) {
	routes, err := netlink.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{Table: unix.RT_TABLE_MAIN}, netlink.RT_FILTER_TABLE)
	if err != nil {
		return "", 0, fmt.Errorf("list routes: %w", err)
	}
	for _, r := range routes {
		if r.Dst != nil && r.Dst.String() != "0.0.0.0/0" && r.Dst.String() != "::/0" || r.LinkIndex == 0 {
			continue
		}
		link, err := netlink.LinkByIndex(r.LinkIndex)
		if err == nil && link.Attrs().Flags&net.FlagLoopback == 0 {
			return link.Attrs().Name, speed("/sys/class/net", link.Attrs().Name), nil
		}
	}
	return "", 0, nil
}

// speed returns the bits in a second that a driver says, 0 if it does not.
func speed(class, device string) int64 {
	data, err := os.ReadFile(filepath.Join(class, device, "speed")) // whole Mbit/s, -1 while there is no link
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 32)
	if err != nil || n <= 0 {
		return 0
	}
	return n * 1_000_000
}

// ask asks the kernel for what shaping needs, without a change: HTB without options, and fq with a wrong one, is refused by a
// kernel that knows it, too, but for another reason.
func (s *Shaper) ask(link netlink.Link, root discipline) string {
	err := error(nil)
	if !root.ours() {
		at := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: rootHandle, Parent: netlink.HANDLE_ROOT}
		var wrong netlink.Qdisc = &netlink.GenericQdisc{QdiscAttrs: at, QdiscType: s.root}
		if s.root == departures {
			wrong = &netlink.Fq{QdiscAttrs: at, Quantum: 1 << 21}
		}
		err = s.net.QdiscReplace(wrong)
	}
	if err != nil && !errors.Is(err, unix.EINVAL) {
		return s.lacking(fmt.Errorf("%s: %w", s.root, err))
	}
	s.marker, err = newMarker(s.cfg)
	return s.lacking(err)
}

// lacking says what the host lacks of which a call said so, "" for other errors: these may be
// gone at the next try.
func (s *Shaper) lacking(err error) string {
	var refused *refusedProgram
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES):
		return s.cfg.Device + ": the agent may not shape it: it needs CAP_NET_ADMIN and CAP_BPF"
	case errors.As(err, &refused):
		return s.cfg.Device + ": " + refused.Error()
	case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP):
		if s.cfg.Pace {
			return fmt.Sprintf("%s: this kernel has no fq, clsact or cls_bpf (%s): modprobe sch_fq sch_ingress cls_bpf", s.cfg.Device, err)
		}
		return fmt.Sprintf("%s: this kernel has no HTB, clsact or cls_bpf (%s): modprobe sch_htb sch_ingress cls_bpf", s.cfg.Device, err)
	}
	return ""
}

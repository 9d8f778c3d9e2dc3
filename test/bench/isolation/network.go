//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos/network"
)

const (
	uplink       = "up0"
	lineRate     = 100_000_000 // bits in a second
	reservedRate = 57_000_000
	streams      = 8
	wire         = 8 * 1514.0 / 1448 // bits on the line for each byte that arrives
)

// networks sends through a line of 100 Mbit/s, beside eight streams of best effort. It gives a thread network namespaces, so it
// has one of its own, which ends with it.
func networks(ctx context.Context, r *rig, phase time.Duration) (figures []figure, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		figures, err = send(ctx, r, phase)
	}()
	<-done
	return figures, err
}

func send(ctx context.Context, r *rig, phase time.Duration) ([]figure, error) {
	l, err := newLine()
	if err != nil {
		return nil, cannot{err}
	}
	defer l.close()
	r.hierarchies = append(slices.Clone(r.hierarchies), "unified") // whose a packet is follows from the group of v2
	holder, err := r.group("holder")
	if err != nil {
		return nil, err
	}
	batch, err := r.group("batch")
	if err != nil {
		return nil, err
	}
	r.as = "shape"
	for range streams {
		if err := r.start(r.command(ctx, processorOfOthers, batch, "send", l.toOthers)); err != nil {
			return nil, err
		}
	}
	if err := r.start(r.command(ctx, processor, holder, "send", l.toHolder)); err != nil {
		return nil, err
	}
	workloads := fmt.Sprintf("- {name: holder, cgroup: %s, profile: guaranteed-pro, cpu: {request: 100m}, reserved: {network: %d}}\n", holder, reservedRate) +
		fmt.Sprintf("- {name: batch, cgroup: %s, profile: best-effort}\n", batch)
	figures := []figure{
		{Name: "network: of the reservation", Alone: fmt.Sprintf("%d Mbit/s", reservedRate/1_000_000), Ratios: map[string]float64{}, Least: 0.95},
		{Name: "network: best effort, of its rate", Ratios: map[string]float64{}, Least: 0.95},
	}
	got := map[string][2]float64{}
	rate := int64(0)
	var agent *exec.Cmd
	for _, name := range phases {
		if agent, err = r.enter(ctx, name, agent, "", workloads); err != nil {
			return nil, err
		}
		if name == with {
			defer func() { _, _ = nodeagent.Release(shaping(r.dir)) }()
			if rate, err = rateOf(r, "of-batch", "best-effort"); err != nil {
				return nil, err
			}
		}
		got[name] = l.rates(ctx, phase)
	}
	for phase, rates := range got {
		figures[0].Ratios[phase] = rates[0] / reservedRate
		figures[1].Ratios[phase] = rates[1] / float64(rate)
	}
	figures[1].Alone = fmt.Sprintf("%.1f Mbit/s", float64(rate)/1e6)
	return figures, ctx.Err()
}

// rateOf is what the agent guarantees to the class that has the traffic of best effort.
func rateOf(r *rig, names ...string) (int64, error) {
	report, _, err := nodeagent.ReadReport(filepath.Join(r.dir, "state"))
	if err != nil {
		return 0, err
	}
	if report.Uplink != nil {
		for _, c := range report.Uplink.Classes {
			for _, name := range names {
				if c.Name == name {
					return c.Rate, nil
				}
			}
		}
	}
	return 0, cannot{fmt.Errorf("the agent shapes nothing: %v", report.Degradations)}
}

// line is a network namespace, in which its thread is, and a peer, with a bridge between them that lets through what a line does.
type line struct {
	spaces             []int
	listeners          []net.Listener
	toHolder, toOthers string
	holder, others     atomic.Int64 // bytes that have arrived
}

func newLine() (l *line, err error) {
	l = &line{}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	for range 3 { // peer, bridge, home
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return l, fmt.Errorf("make a network namespace: %w", err)
		}
		fd, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return l, err
		}
		l.spaces = append(l.spaces, fd)
	}
	peer, between, home := l.spaces[0], l.spaces[1], l.spaces[2]
	if err := veth(uplink, "10.0.1.1/24", "port0", between); err != nil {
		return l, err
	}
	if err := unix.Setns(peer, unix.CLONE_NEWNET); err != nil {
		return l, err
	}
	if err := veth("down0", "10.0.1.2/24", "port1", between); err != nil {
		return l, err
	}
	if l.toHolder, err = l.receive(&l.holder); err == nil {
		l.toOthers, err = l.receive(&l.others)
	}
	if err != nil {
		return l, err
	}
	if err := unix.Setns(between, unix.CLONE_NEWNET); err != nil {
		return l, err
	}
	if err := bridge("port0", "port1"); err != nil {
		return l, err
	}
	return l, unix.Setns(home, unix.CLONE_NEWNET)
}

// veth makes an interface with an address, whose other end is in another namespace.
func veth(name, address, there string, namespace int) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = name
	if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: there, PeerNamespace: netlink.NsFd(namespace)}); err != nil {
		return fmt.Errorf("make a veth: %w", err)
	}
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	at, err := netlink.ParseAddr(address)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, at); err != nil {
		return err
	}
	return netlink.LinkSetUp(link)
}

// bridge connects two ports, of which the second one sends no faster than the line is.
func bridge(in, out string) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "br0"
	b := &netlink.Bridge{LinkAttrs: attrs}
	if err := netlink.LinkAdd(b); err != nil {
		return fmt.Errorf("make a bridge: %w", err)
	}
	if err := netlink.LinkSetUp(b); err != nil {
		return err
	}
	for _, name := range []string{in, out} {
		port, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		if err := netlink.LinkSetMaster(port, b); err != nil {
			return err
		}
		if err := netlink.LinkSetUp(port); err != nil {
			return err
		}
		if name != out {
			continue
		}
		at := netlink.QdiscAttrs{LinkIndex: port.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}
		if err := netlink.QdiscAdd(&netlink.Tbf{QdiscAttrs: at, Rate: lineRate / 8, Limit: 512 << 10, Buffer: 64 << 10}); err != nil {
			return fmt.Errorf("bound the line with tbf: %w", err)
		}
	}
	return nil
}

// receive counts what arrives at an address of the namespace in which the thread is.
func (l *line) receive(got *atomic.Int64) (address string, err error) {
	listener, err := net.Listen("tcp", "10.0.1.2:0")
	if err != nil {
		return "", err
	}
	l.listeners = append(l.listeners, listener)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buf := make([]byte, 64<<10)
				for {
					n, err := conn.Read(buf)
					got.Add(int64(n))
					if err != nil {
						return
					}
				}
			}()
		}
	}()
	return listener.Addr().String(), nil
}

// rates are the bits in a second that arrive from the holder and from the others in a phase.
func (l *line) rates(ctx context.Context, phase time.Duration) [2]float64 {
	pause(ctx, phase/4) // what is in the queues of before arrives
	holder, others, began := l.holder.Load(), l.others.Load(), time.Now()
	pause(ctx, phase)
	took := time.Since(began).Seconds()
	return [2]float64{float64(l.holder.Load()-holder) * wire / took, float64(l.others.Load()-others) * wire / took}
}

func (l *line) close() {
	for _, listener := range l.listeners {
		_ = listener.Close()
	}
	for _, fd := range l.spaces {
		_ = unix.Close(fd)
	}
}

// shaping is an agent that shapes what the host sends through the line, too.
func shaping(dir string) nodeagent.Config {
	cfg := enforcing(dir)
	cfg.Network = network.Config{Device: uplink, Rate: lineRate}
	return cfg
}

// shape is the role of that agent.
func shape(dir string) error { return nodeagent.Run(context.Background(), shaping(dir)) }

// sendTo sends as fast as it may.
func sendTo(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	for block := make([]byte, 16<<10); ; {
		if _, err := conn.Write(block); err != nil {
			return err
		}
	}
}

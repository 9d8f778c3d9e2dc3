//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const wire = 8 * 1514.0 / 1448 // bits on the line for each byte that arrives

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

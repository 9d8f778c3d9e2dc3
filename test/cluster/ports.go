package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A port of 127.0.0.1 which this process holds, bound and not listening, while a component listens on it.
//
// Both sides set SO_REUSEPORT. So nobody else can take the port between the moment it is chosen and the moment the
// component binds it, nor while a component that exited is being restarted.
type port struct {
	number int
	socket int
}

// reservePort reserves the given port, or any free one when number is 0.
func reservePort(number int) (port, error) {
	if number != 0 {
		// SO_REUSEPORT would share the port with another cluster of the same user: ask for it exclusively first.
		var lc net.ListenConfig
		l, err := lc.Listen(context.Background(), "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(number)))
		if err != nil {
			return port{}, fmt.Errorf("reserve port %d: %w", number, err)
		}
		l.Close()
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return port{}, fmt.Errorf("reserve a port: %w", err)
	}
	p := port{socket: socket}
	if p.number, err = bind(socket, number); err != nil {
		p.release()
		return port{}, fmt.Errorf("reserve a port: %w", err)
	}
	return p, nil
}

func bind(socket, number int) (int, error) {
	// Without SO_REUSEADDR, which would let every listener in as long as nobody listens.
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(socket, &unix.SockaddrInet4{Port: number, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	addr, err := unix.Getsockname(socket)
	if err != nil {
		return 0, err
	}
	inet, ok := addr.(*unix.SockaddrInet4)
	if !ok {
		return 0, syscall.EAFNOSUPPORT
	}
	return inet.Port, nil
}

func (p port) release() { _ = unix.Close(p.socket) }

func (p port) url(scheme string) string {
	return scheme + "://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number))
}

// ports are the ports of one cluster. kwok serves nothing and needs none.
type ports struct {
	etcdClient, etcdPeer, apiServer, controllerManager, scheduler port
}

// reservePorts reserves all ports of a cluster, with the API server at the given one (0: any).
func reservePorts(apiServerPort int) (*ports, error) {
	p := &ports{}
	for _, want := range []struct {
		port   *port
		number int
	}{
		{&p.apiServer, apiServerPort}, {&p.etcdClient, 0}, {&p.etcdPeer, 0}, {&p.controllerManager, 0}, {&p.scheduler, 0},
	} {
		reserved, err := reservePort(want.number)
		if err != nil {
			p.release()
			return nil, err
		}
		*want.port = reserved
	}
	return p, nil
}

func (p *ports) release() {
	for _, one := range []port{p.etcdClient, p.etcdPeer, p.apiServer, p.controllerManager, p.scheduler} {
		if one.number != 0 {
			one.release()
		}
	}
}

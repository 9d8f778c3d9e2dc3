package main

import (
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestReservedPortIsOurs(t *testing.T) {
	p, err := reservePort(0)
	require.NoError(t, err)
	defer p.release()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number))

	_, err = net.Listen("tcp4", address)
	require.ErrorIs(t, err, syscall.EADDRINUSE, "another process cannot take it")
	_, err = reservePort(p.number)
	require.ErrorIs(t, err, syscall.EADDRINUSE, "nor can another cluster")

	component := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
		return errors.Join(failed, err)
	}}
	listener, err := component.Listen(t.Context(), "tcp4", address)
	require.NoError(t, err, "the component it is held for can")
	defer listener.Close()
	for range 20 { // the held socket takes none of the connections
		conn, err := net.Dial("tcp4", address)
		require.NoError(t, err)
		accepted, err := listener.Accept()
		require.NoError(t, err)
		conn.Close()
		accepted.Close()
	}
}

func TestReservePortsFreesAllOnError(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, err = reservePorts(taken.Addr().(*net.TCPAddr).Port)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
}

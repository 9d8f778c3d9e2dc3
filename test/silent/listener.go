// Package silent gives a test an address to which nobody may connect. It starts no goroutine, so the race detector need not
// watch the packages of the core that show that they fetch nothing.
package silent

import (
	"errors"
	"fmt"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// Address returns an address of this machine, as host:port. The test fails at its end if somebody has connected to it.
func Address(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer listener.Close()
		switch some, err := connected(listener); {
		case err != nil:
			t.Error(err)
		case some:
			t.Errorf("somebody connected to %s", listener.Addr())
		}
	})
	return listener.Addr().String()
}

// connected reports whether a connection waits to be accepted. The kernel completes connections without the program.
func connected(listener net.Listener) (some bool, err error) {
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		return false, fmt.Errorf("%T is no listener of TCP", listener)
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { // which does not block: Go has set it so
		var conn int
		if conn, _, failed = unix.Accept4(int(fd), unix.SOCK_CLOEXEC); failed == nil {
			some = true
			failed = unix.Close(conn)
		}
	})
	if errors.Is(failed, unix.EAGAIN) {
		failed = nil
	}
	return some, errors.Join(err, failed)
}

//go:build linux

package nodeagent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryQdiscs asks for queueing disciplines on the loopback of a network
// namespace that nobody else sees and that ends with its thread. The results
// are nil for kinds the kernel knows.
func tryQdiscs(kinds []string) (results []error, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, and the namespace with it
		if err = unix.Unshare(unix.CLONE_NEWNET); err != nil {
			err = fmt.Errorf("make a network namespace: %w", err)
			return
		}
		var fd int
		if fd, err = unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE); err != nil {
			err = fmt.Errorf("open a netlink socket: %w", err)
			return
		}
		defer unix.Close(fd)
		for i, kind := range kinds {
			results = append(results, tryQdisc(fd, uint32(i+1), kind))
		}
	}()
	<-done
	return results, err
}

// tryQdisc sends RTM_NEWQDISC without options. A kernel that knows the kind
// creates it or misses an option; one that does not says ENOENT.
func tryQdisc(fd int, seq uint32, kind string) error {
	const (
		loopback = 1
		root     = 0xffffffff // TC_H_ROOT
		clsact   = 0xfffffff1 // TC_H_CLSACT
	)
	parent, handle := uint32(root), uint32(0)
	if kind == "clsact" {
		parent, handle = clsact, clsact&0xffff0000
	}
	name := append([]byte(kind), 0)
	attr := make([]byte, (unix.SizeofRtAttr+len(name)+3)&^3)
	put := binary.NativeEndian
	put.PutUint16(attr, uint16(unix.SizeofRtAttr+len(name)))
	put.PutUint16(attr[2:], unix.TCA_KIND)
	copy(attr[unix.SizeofRtAttr:], name)

	const sizeofTcMsg = 20
	msg := make([]byte, unix.SizeofNlMsghdr+sizeofTcMsg, 128)
	put.PutUint32(msg[0:], uint32(len(msg)+len(attr)))
	put.PutUint16(msg[4:], unix.RTM_NEWQDISC)
	put.PutUint16(msg[6:], unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE|unix.NLM_F_REPLACE)
	put.PutUint32(msg[8:], seq)
	tc := msg[unix.SizeofNlMsghdr:]
	put.PutUint32(tc[4:], loopback)
	put.PutUint32(tc[8:], handle)
	put.PutUint32(tc[12:], parent)
	if err := unix.Sendto(fd, append(msg, attr...), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	if n < unix.SizeofNlMsghdr+4 || put.Uint16(answer[4:]) != unix.NLMSG_ERROR {
		return errors.New("the kernel gave no answer")
	}
	switch errno := syscall.Errno(-int32(put.Uint32(answer[unix.SizeofNlMsghdr:]))); errno {
	case 0, unix.EINVAL:
		return nil
	case unix.ENOENT:
		return errors.New("the kernel does not know it")
	default:
		return errno
	}
}

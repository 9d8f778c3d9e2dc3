//go:build linux

package nodeagent

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/vishvananda/netlink"
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
		for _, kind := range kinds {
			results = append(results, tryQdisc(kind))
		}
	}()
	<-done
	return results, err
}

// tryQdisc asks for a kind without options. A kernel that knows the kind creates the
// discipline or misses an option.
func tryQdisc(kind string) error {
	const loopback = 1
	at := netlink.QdiscAttrs{LinkIndex: loopback, Parent: netlink.HANDLE_ROOT}
	if kind == "clsact" {
		at.Parent, at.Handle = netlink.HANDLE_CLSACT, netlink.HANDLE_CLSACT&0xffff0000
	}
	switch err := netlink.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: at, QdiscType: kind}); {
	case err == nil, errors.Is(err, unix.EINVAL):
		return nil
	case errors.Is(err, unix.ENOENT):
		return errors.New("the kernel does not know it")
	default:
		return err
	}
}

package sealed

import (
	"errors"
	"syscall"
)

// alone has the kernel end a child whose parent is gone, and start it without a network if
// it is to be apart.
func alone(apart bool) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if apart {
		attributes.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
	}
	return attributes
}

// mayNot reports whether a start failed because the machine allows no namespaces.
func mayNot(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EUSERS)
}

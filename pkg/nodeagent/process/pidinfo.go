//go:build linux

package process

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// pidInfo is struct pidfd_info of linux/pidfd.h, in its first version.
type pidInfo struct {
	mask   uint64
	_      uint64     // cgroup
	_      [11]uint32 // ids
	status int32
}

// getInfo is PIDFD_GET_INFO: _IOWR(0xff, 11, struct pidfd_info).
const getInfo = 3<<30 | unsafe.Sizeof(pidInfo{})<<16 | 0xff<<8 | 11

// toldByHandle returns how a process ended that somebody has waited for, false where the kernel
// does not tell.
func toldByHandle(handle int) (unix.WaitStatus, bool) {
	info := pidInfo{mask: unix.PIDFD_INFO_EXIT}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(handle), getInfo, uintptr(unsafe.Pointer(&info)))
	return unix.WaitStatus(info.status), errno == 0 && info.mask&unix.PIDFD_INFO_EXIT != 0
}

//go:build linux

package nodeagent

import (
	"cmp"
	"errors"

	"golang.org/x/sys/unix"
)

// triggers are what is asked of the kernel: to tell when some task waits for 15 % of a window.
// Windows that are no multiple of two seconds need CAP_SYS_RESOURCE.
var triggers = []string{"some 150000 1000000", "some 300000 2000000"}

// pressed returns a channel that receives a value when tasks of this host begin to wait for
// processors, memory or disks, so that what follows the load does not wait for the next tick.
// Without pressure files there is none.
func (a *agent) pressed() (wake <-chan struct{}, stop func()) {
	pressed := make(chan struct{}, 1)
	var polled []unix.PollFd
	var err error
	for _, resource := range []string{"cpu", "memory", "io"} {
		fd, opened := openTrigger(resource, triggers...)
		if err = cmp.Or(err, opened); opened == nil {
			polled = append(polled, unix.PollFd{Fd: int32(fd), Events: unix.POLLPRI})
		}
	}
	end, opened := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err = cmp.Or(err, opened); err != nil {
		a.cfg.Log.Info("overload is noticed at the next turn", "reason", err)
	}
	if opened != nil || len(polled) == 0 {
		closeAll(append(polled, unix.PollFd{Fd: int32(end)}))
		return pressed, func() {}
	}
	polled = append(polled, unix.PollFd{Fd: int32(end), Events: unix.POLLIN})
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer closeAll(polled)
		for {
			if _, err := unix.Poll(polled, -1); err != nil && !errors.Is(err, unix.EINTR) {
				a.cfg.Log.Warn("overload is noticed at the next turn", "reason", err)
				return
			}
			for _, p := range polled {
				switch {
				case p.Fd == int32(end) && p.Revents != 0, p.Revents&unix.POLLERR != 0:
					return
				case p.Revents&unix.POLLPRI != 0 && a.follows.Load():
					send(pressed)
				}
			}
		}
	}()
	return pressed, func() {
		_, _ = unix.Write(end, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		<-done
	}
}

func closeAll(polled []unix.PollFd) {
	for _, p := range polled {
		if p.Fd >= 0 {
			_ = unix.Close(int(p.Fd))
		}
	}
}

// openTrigger opens a pressure file of the host with the first trigger that the kernel takes.
// The trigger ends with the file.
func openTrigger(resource string, lines ...string) (fd int, err error) {
	fd, err = unix.Open("/proc/pressure/"+resource, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	for _, line := range lines {
		if _, err = unix.Write(fd, append([]byte(line), 0)); err == nil {
			return fd, nil
		}
	}
	_ = unix.Close(fd)
	return -1, err
}

// armTrigger registers a trigger for processors and removes it at once.
func armTrigger(line string) error {
	fd, err := openTrigger("cpu", line)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

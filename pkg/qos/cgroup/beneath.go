//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// most is more than any knob prints: those of disks have a line for each.
const most = 16 << 10

// openBeneath opens a relative path below dir. Nothing on the way may be a
// symbolic link, a magic link, a mount point, or lead out of dir.
func openBeneath(dir *os.File, path string, flags int) (*os.File, error) {
	fd, err := openFd(dir, path, flags)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// openFd is openBeneath without the bookkeeping of an os.File, for files that
// are open only for a moment.
func openFd(dir *os.File, path string, flags int) (int, error) {
	how := &unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC | unix.O_NOFOLLOW),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	for {
		fd, err := unix.Openat2(int(dir.Fd()), path, how)
		switch {
		case err == nil:
			return fd, nil
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN): // the tree was renamed meanwhile
			continue
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // an old kernel, or a filter that predates openat2
			return walkBeneath(dir, path, flags)
		}
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
}

// walkBeneath is openFd one component at a time, for kernels before 5.6.
func walkBeneath(dir *os.File, path string, flags int) (int, error) {
	refuse := func(err error) (int, error) { return -1, &os.PathError{Op: "open", Path: path, Err: err} }
	var home unix.Stat_t
	if err := unix.Fstat(int(dir.Fd()), &home); err != nil {
		return refuse(err)
	}
	at := int(dir.Fd())
	parts := strings.Split(path, "/")
	for i, part := range parts {
		mode := unix.O_PATH | unix.O_DIRECTORY
		if i == len(parts)-1 {
			mode = flags
		}
		fd, err := -1, error(unix.EXDEV)
		if part != "" && part != ".." && (part != "." || path == ".") {
			fd, err = unix.Openat(at, part, mode|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		}
		if at != int(dir.Fd()) {
			_ = unix.Close(at)
		}
		if err != nil {
			return refuse(err)
		}
		var here unix.Stat_t
		if err := unix.Fstat(fd, &here); err != nil || here.Dev != home.Dev {
			_ = unix.Close(fd)
			return refuse(unix.EXDEV)
		}
		at = fd
	}
	return at, nil
}

// readFile returns the content of a file of the group that dir is. A knob
// prints all it has in one read.
func readFile(dir *os.File, name string) (string, error) {
	fd, err := openFd(dir, name, unix.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	var buf [most]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return "", &os.PathError{Op: "read", Path: name, Err: err}
	}
	return string(buf[:n]), nil
}

// writeFile writes a value into an existing file of the group that dir is.
func writeFile(dir *os.File, name, value string) error {
	fd, err := openFd(dir, name, unix.O_WRONLY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, []byte(value)); err != nil {
		return fmt.Errorf("write %q to %s: %w", value, name, err)
	}
	return nil
}

// openCgroupDir opens the directory of a hierarchy and makes sure that it is one.
func openCgroupDir(path string, unified bool) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	dir := os.NewFile(uintptr(fd), path)
	var fs unix.Statfs_t
	want := int64(unix.CGROUP_SUPER_MAGIC)
	if unified {
		want = unix.CGROUP2_SUPER_MAGIC
	}
	if err := unix.Fstatfs(fd, &fs); err != nil || int64(fs.Type) != want {
		_ = dir.Close()
		return nil, fmt.Errorf("%s is not a cgroup file system", path)
	}
	return dir, nil
}

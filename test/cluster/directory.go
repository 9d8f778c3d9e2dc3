package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A directory holds the state of one cluster:
//
//	kubeconfig.yaml          administrator's; there from READY until the stop
//	kubeconfig/COMPONENT     one for each client of the API server
//	pids/COMPONENT.pid       of the running process
//	logs/COMPONENT.log       appended to by every run
//	pki/                     keys and certificates, made once
//	etcd/                    data
//	lock                     locked by the "up" that uses the directory; holds its pid
type directory struct {
	root string
	lock *os.File
}

// openDirectory makes the directory when it is missing and locks it against every other "up".
// What an earlier run left behind that would lie about this one is removed.
func openDirectory(root string) (*directory, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open directory %s: %w", root, err)
	}
	d := &directory{root: abs}
	for _, sub := range []string{"", "logs", "pids", "kubeconfig", "etcd"} {
		if err := os.MkdirAll(d.path(sub), 0o700); err != nil {
			return nil, fmt.Errorf("open directory %s: %w", root, err)
		}
	}
	d.lock, err = os.OpenFile(d.path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open directory %s: %w", root, err)
	}
	if err := unix.Flock(int(d.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer d.lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			pid, _ := os.ReadFile(d.path("lock"))
			return nil, fmt.Errorf("directory %s is in use by process %s", root, strings.TrimSpace(string(pid)))
		}
		return nil, fmt.Errorf("lock directory %s: %w", root, err)
	}
	if err := d.claim(); err != nil {
		d.lock.Close()
		return nil, fmt.Errorf("open directory %s: %w", root, err)
	}
	return d, nil
}

func (d *directory) claim() error {
	if err := d.forget(); err != nil {
		return err
	}
	if err := d.lock.Truncate(0); err != nil {
		return err
	}
	_, err := d.lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func (d *directory) path(parts ...string) string {
	return filepath.Join(append([]string{d.root}, parts...)...)
}

// close removes what says that the cluster runs, and unlocks the directory.
func (d *directory) close() error {
	return errors.Join(d.forget(), d.lock.Close())
}

// forget removes the files whose presence says that a cluster is ready or a component runs.
func (d *directory) forget() error {
	pids, err := filepath.Glob(d.path("pids", "*.pid"))
	if err != nil {
		return err
	}
	for _, name := range append(pids, d.path("kubeconfig.yaml")) {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replaceFile writes a file that readers see either whole or not at all.
func replaceFile(name string, content []byte) error {
	if err := os.WriteFile(name+".tmp", content, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}

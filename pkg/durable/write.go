// Package durable writes files that survive a crash of the program and of its machine. It decides
// nothing about what they hold.
package durable

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces a file of a directory at once: whoever reads it sees the old data or the new. When
// it returns, the file survives a crash.
func Write(dir, name string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(dir, "."+name+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = cmp.Or(f.Chmod(mode), f.Sync())
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

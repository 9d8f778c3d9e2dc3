package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/d-aros/d-aros/pkg/signkey"
)

// sumsFile is in the format of sha256sum. Its signature lies beside it.
const sumsFile = "SHA256SUMS"

// sums writes the checksum of each file below dir and, if there is a key, the signature of the list.
func sums(dir string, key *signkey.Key) error {
	var list bytes.Buffer
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), name)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, sumsFile), list.Bytes(), 0o644); err != nil || key == nil {
		return err
	}
	signature, err := key.Sign(&list)
	if err != nil {
		return fmt.Errorf("sign %s: %w", sumsFile, err)
	}
	return os.WriteFile(filepath.Join(dir, sumsFile+key.Extension()), signature, 0o644)
}

package model

import "io/fs"

// Files are the files of a commit, or of a work tree, which do not change.
type Files interface {
	fs.FS
	// Digest identifies the content of a file or of a directory with all below it.
	Digest(name string) (string, error)
}

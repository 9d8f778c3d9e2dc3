// Package web holds the pages that a browser shows of a fleet, as built from the sources beside it. It decides nothing and asks
// nobody: a server hands its files out.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built pages: index.html, which answers every page, and what it needs below assets.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}

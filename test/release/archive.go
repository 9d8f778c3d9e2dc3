package main

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"
)

// A packed is a file that goes into an archive.
type packed struct {
	name string
	mode int64
	data []byte
}

// writeTar writes files with nothing in their headers that depends on the machine.
func writeTar(w io.Writer, at time.Time, files []packed) error {
	t := tar.NewWriter(w)
	for _, f := range files {
		h := tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

// writeArchive writes a .tar.gz whose files lie in a directory of the archive's name.
func (r *release) writeArchive(name string, files []packed) error {
	for i := range files {
		files[i].name = path.Join(name, files[i].name)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.out, name+".tar.gz"))
	if err != nil {
		return err
	}
	defer out.Close()
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(z, r.time, files); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Close()
}

// archives writes one archive for each architecture: its programs, and the pages that a user needs beside them.
func (r *release) archives() error {
	var pages []packed
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"} {
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return err
		}
		pages = append(pages, packed{name, 0o644, data})
	}
	byArch, order := map[string][]packed{}, []string{}
	for _, b := range r.binaries {
		data, err := os.ReadFile(b.file)
		if err != nil {
			return err
		}
		if byArch[b.arch] == nil {
			order = append(order, b.arch)
		}
		byArch[b.arch] = append(byArch[b.arch], packed{b.program, 0o755, data})
	}
	for _, arch := range order {
		if err := r.writeArchive("d-aros_"+r.version+"_linux_"+arch, append(byArch[arch], pages...)); err != nil {
			return err
		}
	}
	return nil
}

package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/ignore"
)

// Bounds of charts.
const (
	maxFile  = 1 << 20  // bytes of one file
	maxInput = 8 << 20  // bytes of a chart
	maxRead  = 16 << 20 // bytes that all charts of an application read, which nobody stops
	maxFiles = 5000     // of a chart, and of what it contains
)

// A Reader reads the charts of one application, of which the directory is given. What it reads is
// bounded, together.
type Reader struct {
	files fs.FS
	read  int
}

// NewReader returns a reader.
func NewReader(files fs.FS) *Reader { return &Reader{files: files} }

// Read returns the files of the chart in a directory, without those that its .helmignore names.
// The error blames the files.
func (r *Reader) Read(dir string) (list []File, err error) {
	if !fs.ValidPath(dir) || strings.Contains(dir, `\`) {
		return nil, fmt.Errorf("%.80q is not a directory inside the application's directory", dir)
	}
	rules, err := r.ignored(dir)
	if err != nil {
		return nil, err
	}
	size := 0
	err = r.walk(dir, func(name string, d fs.DirEntry) error {
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case rules.Ignore(name, info) && d.IsDir():
			return fs.SkipDir
		case rules.Ignore(name, info) || d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return errors.New("is a link or a special file")
		case len(list) == maxFiles:
			return fmt.Errorf("is one of more than %d files of a chart", maxFiles)
		}
		data, err := r.file(path.Join(dir, name), info.Size())
		if err != nil {
			return err
		}
		if size += len(data); size > maxInput {
			return fmt.Errorf("is not read: a chart has at most %d MiB", maxInput>>20)
		}
		list = append(list, File{name, data})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s is not a directory with a chart", dir)
	}
	return list, nil
}

// walk calls do with what is in a directory and below, by its name inside it. It never follows a
// link, also not on the way to the directory.
func (r *Reader) walk(dir string, do func(name string, d fs.DirEntry) error) error {
	return fs.WalkDir(r.files, ".", func(p string, d fs.DirEntry, err error) error {
		name, inside := strings.CutPrefix(p, dir+"/")
		switch {
		case err != nil:
			return err
		case inside:
			if err = do(name, d); err != nil && !errors.Is(err, fs.SkipDir) {
				return fmt.Errorf("%s %w", p, err)
			}
			return err
		case p != "." && p != dir && !strings.HasPrefix(dir, p+"/") && d.IsDir():
			return fs.SkipDir // it is not on the way
		case p == dir && !d.IsDir():
			return fmt.Errorf("%s is not a directory", p)
		}
		return nil
	})
}

// file reads a file that is said to have a size.
func (r *Reader) file(p string, size int64) ([]byte, error) {
	if size > maxFile {
		return nil, fmt.Errorf("has %d bytes, at most %d are read", size, maxFile)
	}
	if r.read += int(size); r.read > maxRead {
		return nil, fmt.Errorf("is not read: the charts of the application have more than %d MiB together", maxRead>>20)
	}
	data, err := fs.ReadFile(r.files, p)
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("has %d bytes, at most %d are read", len(data), maxFile)
	}
	return bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), err // as Helm does
}

// ignored returns which files do not belong to the chart.
func (r *Reader) ignored(dir string) (*ignore.Rules, error) {
	rules := ignore.Empty()
	name := path.Join(dir, ignore.HelmIgnore)
	err := r.walk(dir, func(found string, d fs.DirEntry) error {
		if found != ignore.HelmIgnore || !d.Type().IsRegular() {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := r.file(name, info.Size())
		if err != nil {
			return err
		}
		rules, err = ignore.Parse(bytes.NewReader(data))
		return err
	})
	if err != nil {
		return nil, err
	}
	rules.AddDefaults()
	return rules, nil
}

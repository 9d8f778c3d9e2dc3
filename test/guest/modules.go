//go:build linux

package guest

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// modules returns the files of modules, those that others need first. A name without a file is one that the kernel has in it.
func modules(root string, names ...string) (files []string, err error) {
	where := map[string]string{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if name, is := strings.CutSuffix(filepath.Base(path), ".ko"); err == nil && is {
			where[strings.ReplaceAll(name, "-", "_")] = path
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var add func(name string) error
	add = func(name string) error {
		file, known := where[name]
		if !known || slices.Contains(files, file) {
			return nil
		}
		needs, err := needs(file)
		if err != nil {
			return err
		}
		for _, n := range needs {
			if err := add(n); err != nil {
				return err
			}
		}
		files = append(files, file)
		return nil
	}
	for _, name := range names {
		if err := add(name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// needs returns the names of the modules that a module says it depends on.
func needs(file string) ([]string, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer f.Close()
	section := f.Section(".modinfo")
	if section == nil {
		return nil, fmt.Errorf("%s is no module", file)
	}
	info, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for field := range bytes.SplitSeq(info, []byte{0}) {
		if list, is := strings.CutPrefix(string(field), "depends="); is && list != "" {
			return strings.Split(strings.ReplaceAll(list, "-", "_"), ","), nil
		}
	}
	return nil, nil
}

// libraries returns the files that a program is linked with when it starts, none for a static one and for what is no program.
func libraries(program string, list func(program string) ([]byte, error)) (files []string, err error) {
	f, err := elf.Open(program)
	if format := (*elf.FormatError)(nil); errors.As(err, &format) || errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	defer f.Close()
	if !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return nil, nil
	}
	out, err := list(program)
	if err != nil {
		return nil, fmt.Errorf("list the libraries of %s: %w", program, err)
	}
	for word := range strings.FieldsSeq(string(out)) {
		if info, err := os.Stat(word); err == nil && filepath.IsAbs(word) && info.Mode().IsRegular() {
			files = append(files, word)
		}
	}
	return files, nil
}

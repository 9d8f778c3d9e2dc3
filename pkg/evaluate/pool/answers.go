package pool

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// maxAnswers bounds the answers on disk, in bytes.
const maxAnswers = 512 << 20

// answers are kept as files in two directories. When the young one is full it replaces
// the old one. An answer that is found in the old directory is written to the young one
// again, so that recently used answers stay. Processes may share them. Answers of
// another build of the program are removed, because it may answer differently.
type answers struct {
	dir   string
	limit int64 // of both directories together, in bytes

	mu   sync.Mutex
	size int64 // of the young directory
}

// openAnswers opens the directory for the answers that a program gives.
func openAnswers(dir, program string, limit int64) (*answers, error) {
	build, err := buildOf(program)
	if err != nil {
		return nil, fmt.Errorf("open the answers in %s: %w", dir, err)
	}
	a := &answers{dir: filepath.Join(dir, build), limit: limit}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the answers: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open the answers: %w", err)
	}
	for _, e := range entries {
		if len(e.Name()) == len(build) && e.Name() != build {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // else it stays
		}
	}
	young, err := os.ReadDir(a.path("young", ""))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the answers: %w", err)
	}
	for _, e := range young {
		if info, err := e.Info(); err == nil {
			a.size += info.Size()
		}
	}
	return a, nil
}

func (a *answers) path(half, name string) string { return filepath.Join(a.dir, half, name) }

// buildOf identifies the build of a program by the ID that the Go linker derives from its contents and writes into it. That
// is read at once; a program that has none is read whole.
func buildOf(program string) (string, error) {
	f, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if id := linked(f); id != nil {
		h.Write(id)
	} else if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// linked returns the note in which the Go linker leaves the build ID of a program for Linux, nil if there is none.
func linked(program io.ReaderAt) []byte {
	f, err := elf.NewFile(program)
	if err != nil {
		return nil
	}
	note := f.Section(".note.go.buildid")
	if note == nil || note.Size > 4096 {
		return nil
	}
	data, err := note.Data()
	if err != nil {
		return nil
	}
	return data
}

// nameOf is the name of the file that has the answer to a request.
func nameOf(key string) string {
	digest := sha256.Sum256([]byte(key))
	return hex.EncodeToString(digest[:])
}

// seal stands before an answer: a file that was damaged loses its answer, and never
// gives a wrong one.
func seal(key string, data []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s", len(key), key)
	h.Write(data)
	return h.Sum(nil)
}

// get returns an answer if it is there and complete.
func (a *answers) get(key string) ([]byte, bool) {
	for _, half := range []string{"young", "old"} {
		file, err := os.ReadFile(a.path(half, nameOf(key)))
		if err != nil || len(file) < sha256.Size {
			continue
		}
		data := file[sha256.Size:]
		if !bytes.Equal(seal(key, data), file[:sha256.Size]) {
			continue
		}
		if half == "old" {
			a.put(key, data)
		}
		return data, true
	}
	return nil, false
}

// put keeps an answer, and reports whether it could; without it the next request costs an evaluation.
func (a *answers) put(key string, data []byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	file := append(seal(key, data), data...)
	if a.size > 0 && a.size+int64(len(file)) > a.limit/2 {
		a.turn()
	}
	// A program of another build may have removed the directory.
	if os.MkdirAll(a.path("young", ""), 0o700) != nil {
		return false
	}
	if write(a.path("young", nameOf(key)), file) != nil {
		return false
	}
	a.size += int64(len(file))
	return true
}

// turn makes the young directory the old one.
func (a *answers) turn() {
	_ = os.RemoveAll(a.path("old", ""))
	if os.Rename(a.path("young", ""), a.path("old", "")) == nil {
		a.size = 0
	}
}

// write writes a file that other processes see as a whole or not at all.
func write(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

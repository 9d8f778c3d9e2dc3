package pool

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// maxAnswers bounds what is kept on disk.
const maxAnswers = 512 << 20

// answers are kept in files, one each, named by the digest of its key. Those of
// another build of the program are gone: it may answer otherwise.
type answers struct {
	dir   string
	limit int64

	mu   sync.Mutex
	size int64
}

// openAnswers opens the directory for the answers that a program gives.
func openAnswers(dir, program string, limit int64) (*answers, error) {
	build, err := digestOf(program)
	if err != nil {
		return nil, fmt.Errorf("open the answers in %s: %w", dir, err)
	}
	a := &answers{dir: filepath.Join(dir, build), limit: limit}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
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
	a.trim()
	return a, nil
}

func digestOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func (a *answers) path(key string) string {
	sum := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(a.dir, name[:2], name[2:])
}

// get returns an answer that is whole: it stands behind the digest of its key and
// itself.
func (a *answers) get(key string) ([]byte, bool) {
	name := a.path(key)
	data, err := os.ReadFile(name)
	if err != nil || len(data) < sha256.Size || !bytes.Equal(seal(key, data[sha256.Size:]), data[:sha256.Size]) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // what is used stays longest
	return data[sha256.Size:], true
}

func seal(key string, data []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s", len(key), key)
	h.Write(data)
	return h.Sum(nil)
}

// put keeps an answer, if it can: the next time it costs an evaluation.
func (a *answers) put(key string, data []byte) {
	name := a.path(key)
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(append(seal(key, data), data...))
	if cmp.Or(err, f.Close()) != nil || os.Rename(f.Name(), name) != nil {
		_ = os.Remove(f.Name())
		return
	}
	a.mu.Lock()
	a.size += int64(sha256.Size + len(data))
	full := a.size > a.limit
	a.mu.Unlock()
	if full {
		a.trim()
	}
}

// trim removes what was used longest ago, and says anew how much there is.
func (a *answers) trim() {
	a.mu.Lock()
	defer a.mu.Unlock()
	type file struct {
		name string
		size int64
		used time.Time
	}
	var files []file
	a.size = 0
	_ = filepath.WalkDir(a.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			files = append(files, file{name, info.Size(), info.ModTime()})
			a.size += info.Size()
		}
		return nil
	})
	if a.size <= a.limit {
		return
	}
	slices.SortFunc(files, func(x, y file) int { return x.used.Compare(y.used) })
	for _, f := range files {
		if a.size <= a.limit/4*3 {
			return
		}
		if os.Remove(f.name) == nil {
			a.size -= f.size
		}
	}
}

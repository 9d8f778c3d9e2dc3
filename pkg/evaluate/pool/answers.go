package pool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// maxAnswers bounds what is kept on disk.
const maxAnswers = 512 << 20

// answers are kept in two logs: reading ten thousand small files would take longer
// than decoding them. When the young log is full it replaces the old log. An answer
// that is found in the old log is written to the young one again, so that recently
// used answers stay. Only one process writes. Answers of another build of the program
// are removed, because it may answer differently.
type answers struct {
	dir   string
	limit int64    // of both logs together, in bytes
	lock  *os.File // nil: another process writes

	mu         sync.Mutex
	young, old *answerLog // old may be nil
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
	lock, err := os.OpenFile(filepath.Join(a.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the answers: %w", err)
	}
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		a.lock = lock
	} else {
		_ = lock.Close()
	}
	if a.old, err = openLog(a.path("old"), false); err != nil {
		a.old = nil // there is none
	}
	if a.young, err = openLog(a.path("young"), a.lock != nil); err != nil && a.lock != nil {
		a.close()
		return nil, fmt.Errorf("open the answers: %w", err)
	}
	return a, nil
}

func (a *answers) path(name string) string { return filepath.Join(a.dir, name+".log") }

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

// get returns an answer if it is there and complete.
func (a *answers) get(key string) ([]byte, bool) {
	a.mu.Lock()
	young, old := a.young, a.old
	a.mu.Unlock()
	if data, ok := young.get(key); ok {
		return data, true
	}
	data, ok := old.get(key)
	if ok {
		a.put(key, data)
	}
	return data, ok
}

// put keeps an answer if it can; without it the next request costs an evaluation.
func (a *answers) put(key string, data []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lock == nil {
		return
	}
	if a.young.size > 0 && a.young.size+int64(len(data)) > a.limit/2 {
		a.turn()
	}
	a.young.put(key, data)
}

// turn makes the young log the old one.
func (a *answers) turn() {
	if os.Rename(a.path("young"), a.path("old")) != nil {
		return
	}
	young, err := openLog(a.path("young"), true)
	if err != nil {
		_ = os.Rename(a.path("old"), a.path("young"))
		return
	}
	a.old.close()
	a.young, a.old = young, a.young
}

func (a *answers) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.young.close()
	a.old.close()
	if a.lock != nil {
		_ = a.lock.Close()
		a.lock = nil
	}
}

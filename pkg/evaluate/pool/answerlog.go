package pool

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"
)

// An answerLog is a file of answers, one behind another. A nil log is empty.
//
// An answer stands behind its length, the digest of its key, and the digest of
// both, by which it is known to be whole. So a log that was cut off or damaged loses
// answers and never gives a wrong one.
type answerLog struct {
	file *os.File
	size int64

	mu sync.RWMutex
	at map[[sha256.Size]byte]stretch
}

// A stretch of a file.
type stretch struct {
	offset int64
	length uint32
}

const headSize = 4 + 2*sha256.Size

// openLog opens a log, which is made if it is to be written.
func openLog(name string, write bool) (*answerLog, error) {
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR | os.O_CREATE
	}
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	l := &answerLog{file: f, at: map[[sha256.Size]byte]stretch{}}
	if err := l.survey(); err != nil {
		_ = f.Close()
		return nil, err
	}
	if write {
		_ = f.Truncate(l.size) // what was cut off would swallow what follows
	}
	return l, nil
}

// survey finds out what lies where.
func (l *answerLog) survey() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(l.file, 1<<20)
	var head [headSize]byte
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return nil // the end, or the beginning of what was never finished
		}
		s := stretch{l.size + headSize, binary.BigEndian.Uint32(head[:])}
		if s.length > maxAnswer || s.offset+int64(s.length) > info.Size() {
			return nil
		}
		if _, err := in.Discard(int(s.length)); err != nil {
			return fmt.Errorf("read the answers: %w", err)
		}
		l.at[[sha256.Size]byte(head[4:])] = s
		l.size = s.offset + int64(s.length)
	}
}

func (l *answerLog) get(key string) ([]byte, bool) {
	if l == nil {
		return nil, false
	}
	l.mu.RLock()
	s, ok := l.at[sha256.Sum256([]byte(key))]
	l.mu.RUnlock()
	if !ok {
		return nil, false
	}
	record := make([]byte, sha256.Size+int(s.length)) // the seal stands before the answer
	if _, err := l.file.ReadAt(record, s.offset-sha256.Size); err != nil {
		return nil, false
	}
	data := record[sha256.Size:]
	return data, bytes.Equal(seal(key, data), record[:sha256.Size])
}

func seal(key string, data []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s", len(key), key)
	h.Write(data)
	return h.Sum(nil)
}

// put writes an answer behind the last. It is for one goroutine at a time.
func (l *answerLog) put(key string, data []byte) {
	digest := sha256.Sum256([]byte(key))
	record := make([]byte, 0, headSize+len(data))
	record = binary.BigEndian.AppendUint32(record, uint32(len(data)))
	record = append(record, digest[:]...)
	record = append(record, seal(key, data)...)
	record = append(record, data...)
	if _, err := l.file.WriteAt(record, l.size); err != nil {
		return // the next one is written over it
	}
	l.mu.Lock()
	l.at[digest] = stretch{l.size + headSize, uint32(len(data))}
	l.mu.Unlock()
	l.size += int64(len(record))
}

func (l *answerLog) close() {
	if l != nil {
		_ = l.file.Close()
	}
}

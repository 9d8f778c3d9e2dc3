package wasm

import (
	"io"
	"os"
)

// maxLog is the most that is kept of the output of a replica, twice: what is full becomes the one
// before.
const maxLog = 1 << 20

// log is the output of a replica, in a file of a bounded size. What cannot be written is lost, and
// the module goes on.
type log struct {
	name string
	file *os.File
	size int64
}

// openLog opens a log for more. With no name all is lost.
func openLog(name string) io.WriteCloser {
	l := &log{name: name}
	l.open()
	return l
}

func (l *log) open() {
	if l.name == "" {
		return
	}
	f, err := os.OpenFile(l.name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	if info, err := f.Stat(); err == nil {
		l.size = info.Size()
	}
	l.file = f
}

// Write keeps data, and always succeeds.
func (l *log) Write(data []byte) (int, error) {
	if l.file == nil {
		return len(data), nil
	}
	if l.size+int64(len(data)) > maxLog {
		l.Close()
		_ = os.Rename(l.name, l.name+".1")
		if l.open(); l.file == nil {
			return len(data), nil
		}
	}
	n, _ := l.file.Write(data)
	l.size += int64(n)
	return len(data), nil
}

// Close closes the file.
func (l *log) Close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file, l.size = nil, 0
	return err
}

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

// open opens the file; nil, which takes nothing, where that cannot be done.
func (l *log) open() {
	l.file, _ = os.OpenFile(l.name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if info, err := l.file.Stat(); err == nil {
		l.size = info.Size()
	}
}

// Write keeps data, and always succeeds.
func (l *log) Write(data []byte) (int, error) {
	if l.size+int64(len(data)) > maxLog {
		_ = l.Close()
		_ = os.Rename(l.name, l.name+".1")
		l.size = 0
		l.open()
	}
	n, _ := l.file.Write(data)
	l.size += int64(n)
	return len(data), nil
}

// Close closes the file.
func (l *log) Close() error { return l.file.Close() }

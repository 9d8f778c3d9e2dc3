package clone

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// blobReader reads the files of commits through one git process, which starts with the first read. It is safe for
// concurrent use.
type blobReader struct {
	dir string

	mu    sync.Mutex
	git   *exec.Cmd
	asks  io.WriteCloser
	tells *bufio.Reader
	err   error // after it nothing is read any more
}

// read returns the content of the blob of that name.
func (b *blobReader) read(ctx context.Context, name string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.git == nil && b.err == nil {
		b.err = b.start(ctx)
	}
	if b.err != nil {
		return nil, b.err
	}
	content, err := b.ask(name)
	if err != nil {
		b.err = fmt.Errorf("git cat-file %s: %w", name, err)
		return nil, b.err
	}
	return content, nil
}

func (b *blobReader) start(ctx context.Context) (err error) {
	git := command(ctx, b.dir, "cat-file", "--batch")
	if b.asks, err = git.StdinPipe(); err != nil {
		return err
	}
	out, err := git.StdoutPipe()
	if err != nil {
		return err
	}
	if err := git.Start(); err != nil {
		return err
	}
	b.git, b.tells = git, bufio.NewReader(out)
	return nil
}

// ask sends one line and reads "name type size", the content and the end of line.
func (b *blobReader) ask(name string) ([]byte, error) {
	if _, err := io.WriteString(b.asks, name+"\n"); err != nil {
		return nil, err
	}
	head, err := b.tells.ReadString('\n')
	if err != nil {
		return nil, err
	}
	field := strings.Fields(head)
	if len(field) != 3 || field[1] != "blob" {
		return nil, errors.New("it is not in this clone")
	}
	size, err := strconv.ParseInt(field[2], 10, 64)
	if err != nil || size < 0 || size > MaxBytes {
		return nil, fmt.Errorf("has %s bytes, at most %d are read", field[2], MaxBytes)
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(b.tells, content); err != nil {
		return nil, err
	}
	return content[:size], nil
}

func (b *blobReader) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.git != nil {
		_ = b.asks.Close()
		_ = b.git.Wait()
	}
}

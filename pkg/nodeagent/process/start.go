//go:build linux

package process

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/text"
)

// launching bounds how long a launcher may take, on a busy machine.
const launching = 30 * time.Second

// launched is a process that waits to become a program.
type launched struct {
	process *os.Process
	handle  int // pidfd
	orders  *os.File
	answers *os.File
}

// launchIn starts a launcher, and returns when it is in its groups and waits.
func launchIn(command []string, o order, doors []*os.File, output *os.File) (l *launched, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	theirs, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	answers, said, err := os.Pipe()
	if err != nil {
		_ = orders.Close()
		return nil, err
	}
	defer said.Close()
	l = &launched{orders: orders, answers: answers, handle: -1}
	l.process, err = os.StartProcess(command[0], command, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: append([]*os.File{null, output, output, theirs, said}, doors...),
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		l.shut()
		return nil, fmt.Errorf("start a launcher: %w", err)
	}
	if l.handle, err = unix.PidfdOpen(l.process.Pid, 0); err == nil {
		err = l.prepare(o)
	}
	if err != nil {
		l.drop()
		return nil, err
	}
	return l, nil
}

// prepare tells the launcher what to become, and waits until it is ready to.
func (l *launched) prepare(o order) error {
	deadline := time.Now().Add(launching)
	_ = l.orders.SetDeadline(deadline)
	_ = l.answers.SetDeadline(deadline)
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if _, err := l.orders.Write(append(line, '\n')); err != nil && !errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("tell the launcher: %w", err)
	}
	said, err := bufio.NewReaderSize(l.answers, 4096).ReadString('\n')
	switch {
	case said == ready+"\n":
		return nil
	case said != "":
		return errors.New(text.Clean(strings.TrimSpace(said)))
	}
	return fmt.Errorf("the launcher did not answer: %w", err)
}

// run lets the launcher become the program. It returns why it did not.
func (l *launched) run() error {
	defer l.shut()
	if _, err := fmt.Fprintln(l.orders, goOn); err != nil {
		return fmt.Errorf("tell the launcher: %w", err)
	}
	said, err := io.ReadAll(io.LimitReader(l.answers, 4096)) // it ends when the program begins
	if len(said) > 0 {
		return errors.New(text.Clean(strings.TrimSpace(string(said))))
	}
	return err
}

// drop ends a launcher that is not to become anything.
func (l *launched) drop() {
	l.shut()
	_ = l.process.Kill()
	_, _ = l.process.Wait()
	if l.handle >= 0 {
		_ = unix.Close(l.handle)
	}
}

func (l *launched) shut() {
	_ = l.orders.Close()
	_ = l.answers.Close()
}

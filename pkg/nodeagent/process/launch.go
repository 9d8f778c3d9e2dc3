//go:build linux

package process

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// order is what the agent tells a launcher.
type order struct {
	Command   []string
	Env       []string
	Directory string
	As        identity
	Doors     int // files by which it enters its groups
}

// Files of a launcher beside its output.
const (
	ordersFile  = 3
	answersFile = 4
	firstDoor   = 5
)

const (
	ready = "ready" // it is all that the program is to be, and waits
	goOn  = "go"
)

// maxOrder bounds an order, in bytes: the plan bounds it further.
const maxOrder = 8 << 20

// Launch is a process before it becomes the program: it enters its groups, becomes the user,
// and waits until the agent has recorded it. If the agent ends before, so does it: no program
// runs outside its groups, or without a record. Launch returns only if there is no program.
func Launch() error {
	runtime.LockOSThread() // what is set for a thread is that of the program
	orders, answers := os.NewFile(ordersFile, "orders"), os.NewFile(answersFile, "answers")
	if orders == nil || answers == nil {
		return errors.New("this command is for the agent, which starts programs with it")
	}
	err := launch(bufio.NewReader(io.LimitReader(orders, maxOrder)), answers)
	_, _ = fmt.Fprintln(answers, err)
	return err
}

func launch(orders *bufio.Reader, answers io.Writer) error {
	line, err := orders.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read what to start: %w", err)
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("read what to start: %w", err)
	}
	for i := range o.Doors {
		door := os.NewFile(uintptr(firstDoor+i), "cgroup.procs")
		if _, err := door.WriteString("0"); err != nil {
			return fmt.Errorf("enter the group: %w", err)
		}
		_ = door.Close()
	}
	if err := o.become(); err != nil {
		return err
	}
	unix.CloseOnExec(ordersFile)
	unix.CloseOnExec(answersFile)
	if _, err := fmt.Fprintln(answers, ready); err != nil {
		return err
	}
	if said, err := orders.ReadString('\n'); err != nil || said != goOn+"\n" {
		return errors.New("the agent ended before the program was recorded")
	}
	return fmt.Errorf("start %s: %w", o.Command[0], syscall.Exec(o.Command[0], o.Command, o.Env))
}

// become makes this process what the program is to be.
func (o *order) become() error {
	syscall.Umask(0o022)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("0"), 0) // what protects the agent is not for the program
	if os.Geteuid() == 0 {
		if err := syscall.Setgroups(o.As.Groups); err != nil {
			return fmt.Errorf("become %s: %w", o.As.Name, err)
		}
		if err := syscall.Setgid(o.As.GID); err != nil {
			return fmt.Errorf("become %s: %w", o.As.Name, err)
		}
		if err := syscall.Setuid(o.As.UID); err != nil {
			return fmt.Errorf("become %s: %w", o.As.Name, err)
		}
	} else if os.Getuid() != o.As.UID {
		return fmt.Errorf("become %s: the agent is not root", o.As.Name)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up what programs could gain: %w", err)
	}
	if err := os.Chdir(o.Directory); err != nil {
		return fmt.Errorf("enter the directory: %w", err)
	}
	return nil
}

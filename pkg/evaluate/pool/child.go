package pool

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/leashed"
)

// stackLimit of a child. docs/errors.md states it.
const stackLimit = 64 << 20

// Child answers requests until in ends. Then it ends the process, even in the middle of
// an evaluation, because nobody waits for the answer any more.
func Child(in io.Reader, out io.Writer) error {
	debug.SetGCPercent(200) // 150 takes 15 MB less in each child and half a millisecond more for each application
	debug.SetMaxStack(stackLimit)
	if err := leashed.Limit(memoryLimit); err != nil {
		return err
	}
	quiet, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("open the null device: %w", err)
	}
	defer quiet.Close()
	// Kustomize warns people on standard error, where the parent reads why a child ended.
	stderr := os.Stderr
	os.Stderr = quiet
	defer func() { os.Stderr = stderr }()
	requests := make(chan []byte)
	go func() {
		in := bufio.NewReader(in)
		for {
			request, err := leashed.Receive(in, leashed.MaxRequest)
			if err != nil {
				os.Exit(0)
			}
			requests <- request
		}
	}()
	var worker evaluate.Worker
	worker.Prepare()
	for request := range requests {
		var answer []byte
		if len(request) > 0 { // else the pool asks whether it runs at all
			var err error
			if answer, err = worker.Answer(request); err != nil {
				return err
			}
		}
		if len(answer) > leashed.MaxAnswer {
			return leashed.TooLongError(len(answer))
		}
		if err := leashed.Send(out, answer); err != nil {
			return err
		}
	}
	return nil
}

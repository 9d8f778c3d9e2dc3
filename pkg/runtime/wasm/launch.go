package wasm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/d-aros/d-aros/pkg/text"
)

// page is the unit of the memory of modules.
const page = 64 << 10

// order is what a child is told to run.
type order struct {
	Module []byte
	Args   []string
	Env    map[string]string
	Memory int64
}

// news is what a child tells of its module.
type news struct {
	Started bool
	Ended   bool
	Code    int    // with which it ended
	Why     string // it was ended, "" if it ended by itself
}

// maxWhy is the limit of why a module was ended, in bytes.
const maxWhy = 300

// Launch runs the module that a Runtime tells a child to run, until it ends. The module has its
// memory, arguments, variables, clocks and random numbers, and output: no files and no network.
func Launch(in io.Reader, tell, output io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("read what to run: %w", err)
	}
	goruntime.LockOSThread() // the module runs on this thread, and has what it may have
	if err := confine(uint64(o.Memory)); err != nil {
		return fmt.Errorf("confine the process of a module: %w", err)
	}
	out := json.NewEncoder(tell)
	ended := news{Ended: true}
	var exit *sys.ExitError
	switch err := o.run(output, func() { _ = out.Encode(news{Started: true}) }); {
	case errors.As(err, &exit):
		ended.Code = int(exit.ExitCode())
	case err != nil:
		ended.Code, ended.Why = 1, text.Line(err.Error(), maxWhy)
	}
	return out.Encode(ended)
}

func (o *order) run(output io.Writer, started func()) error {
	ctx := context.Background() // who ends a module kills its process
	pages := min(max(o.Memory/page, 1), maxMemory/page)
	machine := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(pages)))
	defer machine.Close(ctx)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, machine); err != nil {
		return err
	}
	compiled, err := machine.CompileModule(ctx, o.Module)
	if err != nil {
		return fmt.Errorf("it is no module that can run: %w", err)
	}
	config := wazero.NewModuleConfig().WithArgs(o.Args...).WithStdout(output).WithStderr(output).
		WithRandSource(rand.Reader).WithSysWalltime().WithSysNanotime().WithSysNanosleep()
	for name, value := range o.Env {
		config = config.WithEnv(name, value)
	}
	started()
	_, err = machine.InstantiateModule(ctx, compiled, config)
	return err
}

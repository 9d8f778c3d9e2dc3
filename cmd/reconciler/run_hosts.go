package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/nomad"
	"github.com/d-aros/d-aros/pkg/runtime/process"
	"github.com/d-aros/d-aros/pkg/runtime/wasm"
)

// hostFlags name what carries components without Kubernetes.
type hostFlags struct {
	processDir, wasmDir                string
	nomad, nomadTokenFile, nomadCAFile string
}

func (f *hostFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.processDir, "process-dir", "", "`DIR` that plain hosts share, for components of runtime process; with it a cluster need not be named")
	fl.StringVar(&f.wasmDir, "wasm-dir", "", "`DIR` of the output of WebAssembly modules, which this machine then runs for components of runtime wasm (experimental); with it a cluster need not be named")
	fl.StringVar(&f.nomad, "nomad-address", "", "`URL` of the HTTP API of Nomad, for components of runtime nomad (experimental); with it a cluster need not be named")
	fl.StringVar(&f.nomadTokenFile, "nomad-token-file", "", "`FILE` with the token for Nomad, read for each request")
	fl.StringVar(&f.nomadCAFile, "nomad-ca-file", "", "`FILE` with the authorities that sign the certificate of Nomad; empty: those of the system")
}

// any reports whether there is something besides clusters of Kubernetes.
func (f *hostFlags) any() bool { return f.processDir != "" || f.wasmDir != "" || f.nomad != "" }

// adapters returns those of a fleet that the flags name.
func (f *hostFlags) adapters(fleet, prefix string) (all []runtime.Adapter, err error) {
	if f.processDir != "" {
		all = append(all, process.New(process.Options{Dir: f.processDir, Fleet: fleet}))
	}
	if f.wasmDir != "" {
		if err := os.MkdirAll(f.wasmDir, 0o700); err != nil {
			return nil, fmt.Errorf("make the directory of --wasm-dir: %w", err)
		}
		launcher, err := childCommand(moduleCommand)
		if err != nil {
			return nil, err
		}
		all = append(all, wasm.New(wasm.Options{Launcher: launcher, Logs: f.wasmDir}))
	}
	if f.nomad != "" {
		cluster, err := nomad.New(nomad.Options{Address: f.nomad, TokenFile: f.nomadTokenFile, CAFile: f.nomadCAFile, Fleet: fleet, Prefix: prefix})
		if err != nil {
			return nil, err
		}
		all = append(all, cluster)
	}
	return all, nil
}

const moduleCommand = "module"

// newModuleCommand is the hidden command of the child processes that run WebAssembly modules.
func newModuleCommand() *cobra.Command {
	return hiddenCommand(moduleCommand, "Run the module on standard input", func(cmd *cobra.Command, _ []string) error {
		return wasm.Launch(cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
}

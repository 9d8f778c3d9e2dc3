// Command devcluster builds the Kubernetes control plane of test/cluster when needed, and runs it.
//
//	go run ./test/devcluster build            print the path of the binary
//	go run ./test/devcluster up [flags]       start a cluster, see "up --help"
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/d-aros/d-aros/test/clustertest"
)

const usage = `devcluster builds the Kubernetes control plane of test/cluster when needed, and runs it.

Usage:
  go run ./test/devcluster build          print the path of the binary
  go run ./test/devcluster up [flags]     start a cluster; "up --help" lists the flags
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || args[0] == "--help" || args[0] == "-h" || args[0] == "help" {
		fmt.Print(usage)
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	binary, err := clustertest.Build(ctx, os.Stderr)
	stop()
	if err != nil {
		return err
	}
	if args[0] == "build" {
		fmt.Println(binary)
		return nil
	}
	// The binary takes the place of this process and so gets its signals.
	if err := syscall.Exec(binary, append([]string{"devcluster"}, args...), os.Environ()); err != nil {
		return fmt.Errorf("run %s: %w", binary, err)
	}
	return nil
}

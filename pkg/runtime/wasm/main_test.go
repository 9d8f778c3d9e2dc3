package wasm

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/unraced"
)

// launcher is what children run: this test program, without the race detector, which needs more memory than a child may have.
var launcher = os.Args[0]

// TestMain makes the test program the launcher of its own modules.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "module" {
		if err := Launch(os.Stdin, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == "reconciler" {
		act(os.Args[2])
	}
	os.Exit(unwatched(m))
}

func unwatched(m *testing.M) int {
	dir, err := os.MkdirTemp("", "wasm-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if launcher, err = unraced.Program(dir); err != nil {
		panic(err)
	}
	return m.Run()
}

// act carries out as many assignments as it is told, begins with one more, and waits to be killed.
func act(calls string) {
	n, _ := strconv.Atoi(calls)
	r := New(Options{Launcher: []string{os.Args[0], "module"}})
	for i := range n + 1 {
		if i == n {
			fmt.Println("acting")
		}
		filed{r}.Act(context.Background(), assign(model.AppID{Tenant: "acme", Name: fmt.Sprint("a", i)}, "endless.wasm", 1))
	}
	select {}
}

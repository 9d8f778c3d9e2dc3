package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/schema"
)

// TestProgress runs commands that take a while, with and without a terminal.
func TestProgress(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/progress",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// many DIR N makes a fleet of N applications.
			"many": func(ts *testscript.TestScript, _ bool, args []string) {
				var n int
				_, err := fmt.Sscan(args[1], &n)
				ts.Check(err)
				ts.Check(manyApplications(ts.MkAbs(args[0]), n))
			},
			// terminal COMMAND runs a command whose stderr is a terminal, and keeps
			// what that shows in $WORK/terminal.
			"terminal": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(onTerminal(ts, args))
			},
			// cleared demands that the terminal shows nothing at last.
			"cleared": func(ts *testscript.TestScript, _ bool, _ []string) {
				if shown := ts.ReadFile(filepath.Join(ts.Getenv("WORK"), "terminal")); !strings.HasSuffix(shown, "\r\x1b[K") {
					ts.Fatalf("the terminal still shows something: %q", shown[max(0, len(shown)-100):])
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
			return nil
		},
	})
}

func manyApplications(dir string, n int) error {
	put := func(name, text string) error {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(text), 0o644)
	}
	err := put("fleet.cue", `package fleet

import "`+schema.ImportPath+`"

schema.#Fleet
platform: {
	name: "example"
	policy: images: registries: ["ghcr.io/acme"]
	pools: general: capacity: {cpu: "64", memory: "256Gi"}
	allotments: acme: {}
}
`)
	if err == nil {
		err = put("tenants/acme/tenant.cue", "package fleet\n\ntenant: name: \"acme\"\n")
	}
	for i := range n {
		if err == nil {
			err = put(fmt.Sprintf("tenants/acme/apps/app-%d/app.cue", i), fmt.Sprintf(
				"package fleet\n\napplication: {\n\tname: \"app-%d\"\n\tcomponents: main: {type: \"worker\", properties: image: \"ghcr.io/acme/app:1\"}\n}\n", i))
		}
	}
	for _, f := range schema.Files() {
		if err == nil {
			err = put("cue.mod/pkg/"+schema.ImportPath+"/"+f.Name, string(f.Data))
		}
	}
	return err
}

// onTerminal runs a command with a pseudo-terminal as its stderr.
func onTerminal(ts *testscript.TestScript, args []string) error {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return err
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	shown := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(master) // ends with an error when the last writer goes
		shown <- all
	}()
	program, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "XDG_CACHE_HOME="+ts.Getenv("HOME")+"/.cache", impatient+"=1")
	cmd.Stdout, cmd.Stderr = ts.Stdout(), terminal
	err = cmd.Run()
	terminal.Close()
	if writeErr := os.WriteFile(filepath.Join(ts.Getenv("WORK"), "terminal"), <-shown, 0o644); writeErr != nil {
		return writeErr
	}
	return err
}

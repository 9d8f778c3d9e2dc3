//go:build linux

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nodeagent": main})
}

// The scripts are whole sessions of an operator. In them $CGROUP is the path of
// a real group of the cpu controller in cgroup v1, and $KNOBS its directory.
func TestScript(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	cgrouptest.Group(t, cgrouptest.Root+"/cpu", cgrouptest.Name(t)) // above those of all scripts, so the last to be removed
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			group := cgrouptest.Name(t) + "/" + filepath.Base(env.WorkDir)
			env.Setenv("CGROUP", group)
			env.Setenv("KNOBS", cgrouptest.Group(t, cgrouptest.Root+"/cpu", group))
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"envsubst": envsubst, "await": await, "await-status": awaitStatus},
	})
}

// envsubst FILE replaces the variables in a file.
func envsubst(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(path, []byte(os.Expand(ts.ReadFile(path), ts.Getenv)), 0o600))
}

// await FILE VALUE waits until a file says a value.
func await(ts *testscript.TestScript, _ bool, args []string) {
	wait(ts, func() bool { return strings.TrimSpace(ts.ReadFile(args[0])) == args[1] })
}

// await-status DIR waits until an agent has written its status.
func awaitStatus(ts *testscript.TestScript, _ bool, args []string) {
	wait(ts, func() bool {
		_, err := os.Stat(filepath.Join(ts.MkAbs(args[0]), "status.json"))
		return err == nil
	})
}

func wait(ts *testscript.TestScript, ok func() bool) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			ts.Fatalf("it did not happen in time")
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"probe", "--help"}, {"status", "--help"}, {"release", "--help"}, {"publish", "--help"}} {
		var out strings.Builder
		require.Equal(t, exitOK, run(context.Background(), args, &out, &out))
		require.Contains(t, out.String(), "--cgroup-root")
		if len(args) > 1 {
			require.Contains(t, out.String(), "Examples:")
		}
	}
}

// The agent runs as root on every node, so what it links stays small: no
// configuration language, no Git, no renderer, no Kubernetes.
func TestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	for pkg := range strings.FieldsSeq(string(out)) {
		for prefix, why := range map[string]string{
			"cuelang.org/": "plans are resolved before they reach a node", "github.com/go-git/": "plans come as files",
			"sigs.k8s.io/": "nodes render nothing", "k8s.io/": "a node needs no cluster",
			"testing/": "for tests only", "github.com/d-aros/d-aros/pkg/evaluate/": "the reconciler decides",
		} {
			if strings.HasPrefix(pkg+"/", prefix) {
				t.Errorf("links %s: %s", pkg, why)
			}
		}
	}
}

// Command mutate plants bugs in the rules of arbitration, one at a time, and runs the tests of the rules
// against each. Every bug must be caught by a test that states a rule: tests that compare bytes with
// recorded ones are left out. Stories come first, as they say what goes wrong, then all else. It writes caught.txt, which says by which test, and fails if a bug survives.
//
//	go run ./test/arbitration/mutate              # all, and writes caught.txt
//	go run ./test/arbitration/mutate -only Slack  # those whose description contains it
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/d-aros/d-aros/test/plant"
)

const (
	home  = "test/arbitration/mutate"
	rules = "pkg/arbitration" // that files of mutations are relative to
)

const (
	// byBytes are tests that compare with what was recorded.
	byBytes = "RulingsKeepTheirBytes|Golden|Page"
	// stories are tests in which nothing is random.
	stories = "^(TestCases|TestScenarios|TestAdviceOfStories|TestRestoreIsHeld)$"
)

func main() {
	only := flag.String("only", "", "plant only bugs whose description contains this")
	flag.Parse()
	if err := run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(only string) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var table strings.Builder
	survived := 0
	for _, m := range mutations {
		if !strings.Contains(m.what, only) {
			continue
		}
		caught, err := m.plant(dir)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", m.file, m.what, err)
		}
		if caught == "" {
			caught = "SURVIVES"
			survived++
		}
		line := fmt.Sprintf("%s: %s: %s\n", m.file, m.what, caught)
		table.WriteString(line)
		fmt.Print(line)
	}
	if survived > 0 {
		return fmt.Errorf("%d bugs survive; write a test that each of them fails", survived)
	}
	if only != "" {
		return nil
	}
	return os.WriteFile(filepath.Join(home, "caught.txt"), []byte(table.String()), 0o644)
}

func (m mutation) edit() plant.Edit {
	return plant.Edit{File: filepath.Join(rules, m.file), Old: m.old, New: m.new}
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (Test\S+)`)

// plant runs the tests with the bug in place, and returns the first that fails, "" for none.
func (m mutation) plant(dir string) (string, error) {
	overlay, err := m.edit().Overlay(".", dir)
	if err != nil {
		return "", err
	}
	for _, run := range []struct{ pkg, only string }{{"./pkg/arbitration", stories}, {"./pkg/arbitration/solve", ""}, {"./pkg/arbitration", ""}} {
		out, err := exec.Command("go", "test", overlay, "-vet=off", "-ldflags=-s", "-short", "-failfast", "-timeout", "5m", "-run", run.only, "-skip", byBytes, run.pkg).CombinedOutput()
		var exit *exec.ExitError
		switch found := failed.FindSubmatch(out); {
		case err == nil:
		case !errors.As(err, &exit):
			return "", err
		case found != nil:
			return string(found[1]), nil
		case strings.Contains(string(out), "panic: "):
			return "a panic in " + run.pkg, nil
		default:
			return "", fmt.Errorf("it does not build, or no test fails:\n%s", out)
		}
	}
	return "", nil
}

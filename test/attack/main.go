package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/d-aros/d-aros/test/plant"
)

func main() {
	missed := 0
	for _, d := range defences {
		if len(os.Args) > 1 && !strings.Contains(" "+strings.Join(os.Args[1:], " ")+" ", " "+d.Case+" ") {
			continue
		}
		output, err := d.take(".")
		switch {
		case err != nil:
			fmt.Fprintf(os.Stderr, "%s %s: %v\n%s", d.Case, d.Test, err, output)
			missed++
		default:
			fmt.Printf("%s without %s: %s fails, as it must\n", d.Case, d.File, d.Test)
		}
	}
	if missed > 0 {
		fmt.Fprintf(os.Stderr, "%d defences can be taken out, and no test minds\n", missed)
		os.Exit(1)
	}
}

func (d *defence) edit() plant.Edit { return plant.Edit{File: d.File, Old: d.Old, New: d.New} }

// take runs the test without the defence, and fails unless the test does. A build that
// fails shows nothing.
func (d *defence) take(root string) (output []byte, err error) {
	dir, err := os.MkdirTemp("", "attack")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	overlay, err := d.edit().Overlay(root, dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "test", overlay, "-vet=off", "-ldflags=-s -linkmode=internal", "-count=1", "-run", "^"+d.Test, d.Package)
	cmd.Dir = root
	output, err = cmd.CombinedOutput()
	failed := (*exec.ExitError)(nil)
	switch {
	case err == nil:
		return output, errors.New("the test passes without the defence")
	case !errors.As(err, &failed):
		return output, err
	case strings.Contains(string(output), "[build failed]") || !strings.Contains(string(output), "FAIL"):
		return output, errors.New("nothing was tested")
	}
	return nil, nil
}

// Package unraced gives a test the program that it starts as a child: the test program itself, without the race detector.
// A child is another process with few goroutines of interest, and the race detector makes it several times as slow and as
// large. Its exit alone takes a second.
package unraced

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Program returns the test program that runs now. Where the race detector watches it, Program builds the program of the
// package in the working directory without the detector, in dir. It is for TestMain: the go command starts a test program
// in the directory of its package.
func Program(dir string) (string, error) {
	if !Racing {
		return os.Executable()
	}
	program := filepath.Join(dir, "unraced.test")
	if out, err := exec.Command("go", "test", "-c", "-ldflags=-s -linkmode=internal", "-o", program, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the test program without the race detector: %w\n%s", err, out)
	}
	return program, nil
}

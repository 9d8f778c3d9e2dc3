package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	missed := 0
	for _, d := range defences {
		if d.File == "" || len(os.Args) > 1 && !strings.Contains(" "+strings.Join(os.Args[1:], " ")+" ", " "+d.Case+" ") {
			continue
		}
		output, err := d.take()
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

// edited returns the file without the defence.
func (d *defence) edited() (string, error) {
	b, err := os.ReadFile(d.File)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(b), d.Old); n != 1 {
		return "", fmt.Errorf("%s has %q %d times; name the defence where it is now", d.File, d.Old, n)
	}
	return strings.Replace(string(b), d.Old, d.New, 1), nil
}

// take runs the test without the defence, and fails unless the test does. A build that
// fails shows nothing.
func (d *defence) take() (output []byte, err error) {
	text, err := d.edited()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "attack")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	at, err := filepath.Abs(d.File)
	if err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{at: filepath.Join(dir, "edited.go")}})
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{"edited.go": []byte(text), "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	output, err = exec.Command("go", "test", "-overlay", filepath.Join(dir, "overlay.json"), "-vet=off", "-count=1", "-run", "^"+d.Test, d.Package).CombinedOutput()
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

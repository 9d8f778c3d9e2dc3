// Package plant changes a file of this module for one build, so that it can be shown that a test finds the change.
package plant

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An Edit replaces a text that a file has once.
type Edit struct{ File, Old, New string }

// Text returns the file with the edit, below the root of the module.
func (e Edit) Text(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, e.File))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(b), e.Old); n != 1 {
		return "", fmt.Errorf("%s has %q %d times; name it as it is now", e.File, e.Old, n)
	}
	return strings.Replace(string(b), e.Old, e.New, 1), nil
}

// Overlay writes what a build with the edit needs to dir, and returns the flag of go build and go test.
func (e Edit) Overlay(root, dir string) (flag string, err error) {
	text, err := e.Text(root)
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(filepath.Join(root, e.File))
	if err != nil {
		return "", err
	}
	edited, overlay := filepath.Join(dir, "edited.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{file: edited}})
	if err != nil {
		return "", err
	}
	return "-overlay=" + overlay, errors.Join(os.WriteFile(edited, []byte(text), 0o600), os.WriteFile(overlay, replace, 0o600))
}

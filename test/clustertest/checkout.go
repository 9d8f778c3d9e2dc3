package clustertest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// module is the line that marks the root of the checkout.
const module = "module github.com/d-aros/d-aros"

// checkoutRoot finds the checkout that the working directory is in. Tests run in their package's directory.
func checkoutRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("find the checkout: %w", err)
		}
		if line, _, _ := strings.Cut(string(content), "\n"); strings.TrimSpace(line) == module {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find the checkout: no go.mod of %s above %s", strings.TrimPrefix(module, "module "), start)
		}
	}
}

// cacheDir is where the built binary and the shared cluster live: $DAROS_CACHE, or .cache in the checkout.
func cacheDir(root string) (string, error) {
	dir := os.Getenv("DAROS_CACHE")
	if dir == "" {
		dir = filepath.Join(root, ".cache")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("open the cache: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("open the cache: %w", err)
	}
	return dir, nil
}

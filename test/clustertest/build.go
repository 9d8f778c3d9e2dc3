package clustertest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// The names of binaries are followed by a hash of all that they are built from.
	binaryName  = "devcluster-"
	kubeletName = "kubelet-"
	// keptBinaries bounds the disk that binaries of earlier sources take, some 170 MB each.
	keptBinaries = 3
)

// buildFlags make the API server report a version that clients can read. They are part of the compiler's cache
// key: a build with others takes minutes again.
var buildFlags = []string{
	"-trimpath", "-mod=readonly", "-buildvcs=false",
	"-ldflags=-s -w" +
		" -X k8s.io/component-base/version.gitVersion=v1.36.3" +
		" -X k8s.io/component-base/version.gitMajor=1" +
		" -X k8s.io/component-base/version.gitMinor=36" +
		" -X k8s.io/component-base/version.gitCommit=devcluster" +
		" -X k8s.io/component-base/version.gitTreeState=clean" +
		" -X k8s.io/component-base/version.buildDate=2026-01-01T00:00:00Z",
}

// Build returns the path of the devcluster binary, after building it if the sources in test/cluster or the version
// of Go have changed since it was built. The first build on a machine takes minutes; progress shows where it is.
func Build(ctx context.Context, progress io.Writer) (string, error) {
	path, err := build(ctx, binaryName, ".", progress)
	if err != nil {
		return "", fmt.Errorf("build the test cluster: %w", err)
	}
	return path, nil
}

// BuildKubelet is Build for the kubelet of the release that the cluster has. No cluster of Start runs one.
func BuildKubelet(ctx context.Context, progress io.Writer) (string, error) {
	path, err := build(ctx, kubeletName, "k8s.io/kubernetes/cmd/kubelet", progress)
	if err != nil {
		return "", fmt.Errorf("build the kubelet: %w", err)
	}
	return path, nil
}

// build builds a package of the module in test/cluster, or one of a module that it requires.
func build(ctx context.Context, name, pkg string, progress io.Writer) (string, error) {
	root, err := checkoutRoot()
	if err != nil {
		return "", err
	}
	cache, err := cacheDir(root)
	if err != nil {
		return "", err
	}
	sources := filepath.Join(root, "test", "cluster")
	hash, err := sourceHash(ctx, sources)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(cache, name+hash)
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	held, err := lock(ctx, filepath.Join(cache, "devcluster.lock"), unix.LOCK_EX)
	if err != nil {
		return "", err
	}
	defer held.Close()
	if _, err := os.Stat(binary); err == nil {
		return binary, nil // built by another process, while this one waited for the lock
	}
	if err := compile(ctx, sources, pkg, binary, progress); err != nil {
		return "", err
	}
	return binary, removeOldBinaries(cache, name)
}

// sourceHash names what the binary is built from: files, flags, and the version of Go.
func sourceHash(ctx context.Context, sources string) (string, error) {
	version := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED")
	version.Dir = sources
	toolchain, err := version.Output()
	if err != nil {
		return "", fmt.Errorf("run go env: %w", err)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%q\n", toolchain, buildFlags)
	err = filepath.WalkDir(sources, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !isSource(entry) {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(sources, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.ToSlash(relative), len(content), content)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("read the sources: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

func isSource(entry fs.DirEntry) bool {
	name := entry.Name()
	switch {
	case !entry.Type().IsRegular(), strings.HasSuffix(name, "_test.go"):
		return false
	case name == "go.mod", name == "go.sum":
		return true
	}
	return strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".yaml")
}

// compile builds under a name of its own and renames, so that a binary that exists is complete.
func compile(ctx context.Context, sources, pkg, binary string, progress io.Writer) error {
	unfinished := fmt.Sprintf("%s.%d.tmp", binary, os.Getpid())
	defer os.Remove(unfinished)
	show := newProgress(progress)
	defer show.end()
	args := append([]string{"build", "-v", "-o", unfinished}, buildFlags...)
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Dir = sources
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stdout, cmd.Stderr = show, show
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go build then ends its compilers
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w; \"go run ./test/devcluster build\" builds it without a time limit", ctx.Err())
		}
		return fmt.Errorf("run go build in %s: %w\n%s", sources, err, show.problems())
	}
	return os.Rename(unfinished, binary)
}

// removeOldBinaries keeps the most recent ones. Clusters that run a removed one are not disturbed.
func removeOldBinaries(cache, name string) error {
	names, err := filepath.Glob(filepath.Join(cache, name+"*"))
	if err != nil {
		return err
	}
	built := map[string]time.Time{}
	for _, name := range names {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		built[name] = info.ModTime()
	}
	slices.SortFunc(names, func(a, b string) int { return built[b].Compare(built[a]) })
	for _, name := range names[min(keptBinaries, len(names)):] {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

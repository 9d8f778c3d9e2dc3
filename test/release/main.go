// Command release makes what a release of D-AROS consists of, from a clean checkout:
//
//	go run ./test/release [--out dist] [--sign-key KEY]
//
// It needs Go and git, no Docker and no network beyond Go modules. Equal commits, tags and Go versions give equal bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/d-aros/d-aros/pkg/signkey"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "release:", err)
		}
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, progress io.Writer) error {
	o := options{programs: []string{"reconciler", "reconciler-decrypt", "nodeagent"}, architectures: []string{"amd64", "arm64"}, progress: progress}
	var signKey string
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&o.dir, "dir", ".", "checkout to make the release from")
	flags.StringVar(&o.out, "out", "dist", "directory to write; an earlier release in it is replaced")
	flags.StringVar(&signKey, "sign-key", "", "private key to sign SHA256SUMS with: SSH, or armored OpenPGP, without passphrase")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q: see --help", flags.Arg(0))
	}
	if signKey != "" {
		var err error
		if o.key, err = signkey.Read(signKey, signkey.File); err != nil {
			return fmt.Errorf("read --sign-key: %w", err)
		}
	}
	return makeRelease(ctx, o)
}

// options say what to release.
type options struct {
	dir, out                string
	programs, architectures []string
	key                     *signkey.Key // nil: SHA256SUMS is not signed
	progress                io.Writer
}

// makeRelease writes all of a release or nothing.
func makeRelease(ctx context.Context, o options) error {
	src, err := openCheckout(ctx, o.dir)
	if err != nil {
		return err
	}
	if err := replaceable(o.out); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	binaries, err := build(ctx, o, src, filepath.Join(scratch, "bin"))
	if err != nil {
		return err
	}
	r := release{checkout: src, version: binaries[0].build.Main.Version, out: filepath.Join(scratch, "dist"), binaries: binaries}
	for _, step := range []func() error{r.archives, r.bom, r.images, r.manifests} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := sums(r.out, o.key); err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil {
		return err
	}
	if err := os.CopyFS(o.out, os.DirFS(r.out)); err != nil {
		return err
	}
	fmt.Fprintf(o.progress, "%s of commit %s is in %s\n", r.version, src.commit, o.out)
	return nil
}

// replaceable refuses a directory that is not a release.
func replaceable(out string) error {
	entries, err := os.ReadDir(out)
	if os.IsNotExist(err) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(out, sumsFile)); err != nil {
		return fmt.Errorf("%s has files and no %s, so it is not an earlier release: choose another directory with --out", out, sumsFile)
	}
	return nil
}

// A release is made of the binaries of one commit.
type release struct {
	checkout
	version  string
	out      string
	binaries []binary
	digests  map[string]string // of the images, by program
}

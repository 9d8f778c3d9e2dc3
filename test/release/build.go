package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A binary is one program for one architecture.
type binary struct {
	program, arch string
	file          string
	build         *buildinfo.BuildInfo
}

// build compiles each program for each architecture and checks that all of them say which commit they are.
func build(ctx context.Context, o options, src checkout, dir string) (all []binary, err error) {
	for _, arch := range o.architectures {
		for _, program := range o.programs {
			fmt.Fprintf(o.progress, "building %s for linux/%s\n", program, arch)
			b := binary{program: program, arch: arch, file: filepath.Join(dir, arch, program)}
			// The symbol table stays out: it is a third of the size, and a panic prints its stack without it.
			cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", b.file, "./cmd/"+program)
			cmd.Dir = src.dir
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0",
				"GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOWORK=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("build %s for linux/%s: %w\n%s", program, arch, err, out)
			}
			if b.build, err = buildinfo.ReadFile(b.file); err != nil {
				return nil, err
			}
			if err := check(b, src); err != nil {
				return nil, err
			}
			all = append(all, b)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("nothing to build")
	}
	return all, nil
}

// check compares what a binary says of itself with the checkout: a file may have changed while the compiler ran.
func check(b binary, src checkout) error {
	settings := map[string]string{}
	for _, s := range b.build.Settings {
		settings[s.Key] = s.Value
	}
	if version := b.build.Main.Version; !strings.HasPrefix(version, "v") || settings["vcs.revision"] != src.commit || settings["vcs.modified"] != "false" {
		return fmt.Errorf("%s says that it is version %s of commit %q, modified %q, and not commit %s: "+
			"leave the work tree alone while a release is made", b.program, version, settings["vcs.revision"], settings["vcs.modified"], src.commit)
	}
	return nil
}

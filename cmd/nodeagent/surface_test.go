//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/test/surface"
)

var update = flag.Bool("update", false, "write the records anew")

func TestCommandsAreRecorded(t *testing.T) {
	surface.Check(t, "commands", *update, surface.Commands(newRoot()))
}

func TestJSONIsRecorded(t *testing.T) {
	surface.Check(t, "json", *update, append(
		surface.Fields("nodeagent probe", []nodeagent.Finding{}), append(surface.Fields("nodeagent status", status{}), surface.Fields("nodeagent version", version{})...)...))
}

func TestExitCodesAreRecorded(t *testing.T) {
	empty := t.TempDir()
	absent := filepath.Join(empty, "absent.yaml")
	var entries []string
	for _, args := range [][]string{
		{"--help"}, {"--version"}, {"no-such-command"}, {"status", "--no-such-flag"}, {"probe"}, {"run"}, {"run", "--plan", absent, "--dry-run"},
		{"status", "--state-dir", empty}, {"probe", "-o", "xml"}, {"publish"}, {"publish", "--node", "a", "--config-map", "b", "--server", "http://plain"},
	} {
		code := run(context.Background(), args, io.Discard, io.Discard)
		words := strings.ReplaceAll(strings.ReplaceAll(strings.Join(args, " "), absent, "ABSENT"), empty, "EMPTY")
		entries = append(entries, fmt.Sprintf("nodeagent %s%sexit code %d", words, surface.Gap, code))
	}
	surface.Check(t, "exit-codes", *update, entries)
}

package kustomize

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/test/silent"
)

// TestRefused: what public kustomizations have and tenants may not is named with file, line and
// field. Nobody is asked for it, and no program is started.
func TestRefused(t *testing.T) {
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	for _, name := range []string{"git", "helm", "docker", "ksops", "sh"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n: >"+started+"\n"), 0o755))
	}
	t.Setenv("PATH", bin)
	listener := silent.Address(t)
	archive, err := txtar.ParseFile("testdata/refused.txtar")
	require.NoError(t, err)
	files, want := written(), map[string]string{}
	for _, f := range archive.Files {
		text := strings.ReplaceAll(string(f.Data), "LISTENER", listener)
		if path.Base(f.Name) == "want" {
			want[path.Dir(f.Name)] = strings.TrimSpace(text)
			continue
		}
		files[f.Name] = written(f.Name, text)[f.Name]
	}
	require.NotEmpty(t, want)
	for dir, message := range want {
		t.Run(dir, func(t *testing.T) {
			_, err := kustomization(files, dir)
			require.EqualError(t, err, message)
		})
	}
	require.NoFileExists(t, started)
}

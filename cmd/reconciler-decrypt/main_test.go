package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/sealed"
)

const testdata = "../../pkg/sops/testdata/"

// TestTheProgram builds the program and has it open files as the reconciler does.
func TestTheProgram(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "reconciler-decrypt")
	out, err := exec.Command("go", "build", "-ldflags=-s -linkmode=internal", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	keys, err := filepath.Abs(testdata + "keys.txt")
	require.NoError(t, err)
	o := &sealed.Opener{Program: program, Keys: filepath.Dir(keys)}
	read := func(name string) []byte {
		data, err := os.ReadFile(testdata + name)
		require.NoError(t, err)
		return data
	}

	for name, key := range map[string]string{"two.enc.yaml": "password", "pq.enc.yaml": "password", "plain.enc.json": "password", "two.enc.env": "PASSWORD"} {
		values, err := o.Open(t.Context(), "keys.txt", name, read(name))
		require.NoError(t, err, name)
		require.Contains(t, string(values[key]), "can", name)
	}

	changed := read("plain.enc.env")
	changed[200] ^= 1
	_, err = o.Open(t.Context(), "keys.txt", "plain.enc.env", changed)
	require.ErrorContains(t, err, sealed.CodeChanged+": it is not as it was encrypted: the value at")
	_, err = o.Open(t.Context(), "keys.txt", "db.enc.yaml", []byte("password: x\n"))
	require.ErrorContains(t, err, sealed.CodeFormat+": it is no file of SOPS that can be read here: it has no sops.mac, so it is not encrypted")
	_, err = o.Open(t.Context(), "keys.txt", "other.enc.yaml", read("other.enc.yaml"))
	require.ErrorContains(t, err, sealed.CodeKey+": no key opens it: it is encrypted for age1m9m5e8nv3nhq35v")

	for _, c := range []struct{ keys, says string }{
		{filepath.Join(dir, "gone"), "no such file or directory"},
		{dir, " is no file"},
		{keys[:len(keys)-len("keys.txt")] + "plain.enc.yaml", "has no lines of the form AGE-SECRET-KEY-1"},
	} {
		_, err := (&sealed.Opener{Program: program, Keys: filepath.Dir(c.keys)}).Open(t.Context(), filepath.Base(c.keys), "two.enc.yaml", read("two.enc.yaml"))
		require.ErrorContains(t, err, sealed.CodeKeyFile+": read the keys: ")
		require.ErrorContains(t, err, c.says)
	}

	bomb := append([]byte("{\"a\":"), make([]byte, sealed.MaxFile-10)...)
	for i := range bomb[5:] {
		bomb[5+i] = '['
	}
	_, err = o.Open(t.Context(), "keys.txt", "bomb.enc.json", bomb)
	require.ErrorContains(t, err, sealed.CodeFormat)
	_, err = o.Open(t.Context(), "keys.txt", "bomb.enc.yaml", bomb)
	require.ErrorContains(t, err, sealed.CodeFormat)
}

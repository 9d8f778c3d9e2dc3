// Command reconciler-decrypt opens one file that SOPS encrypted. The reconciler starts it,
// and it alone reads the key:
//
//	reconciler-decrypt KEYS .yaml < db.enc.yaml
//
// It answers on standard output, in JSON: the values, or why there are none. It links
// nothing that reaches a network, logs nothing, and while it looks at the file it can open
// no other file and no connection.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"

	"github.com/d-aros/d-aros/pkg/sealed"
	"github.com/d-aros/d-aros/pkg/sops"
)

// maxKeys bounds the file with the keys, in bytes.
const maxKeys = 64 << 10

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "reconciler-decrypt: reconciler run starts this program; use: reconciler-decrypt KEYS .yaml < FILE")
		os.Exit(2)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer(os.Args[1], os.Args[2], os.Stdin)); err != nil {
		os.Exit(2)
	}
}

// answer opens the file with the keys, and with them what it reads.
func answer(keys, format string, from io.Reader) sealed.Answer {
	if err := limit(); err != nil {
		return refused(sealed.CodeKeyFile, fmt.Errorf("limit reconciler-decrypt: %w", err))
	}
	identities, err := readKeys(keys)
	if err != nil {
		return refused(sealed.CodeKeyFile, err)
	}
	data, err := io.ReadAll(io.LimitReader(from, sealed.MaxFile+1))
	if err == nil {
		err = seclude()
	}
	if err != nil {
		return refused(sealed.CodeKeyFile, fmt.Errorf("read the file: %w", err))
	}
	values, err := sops.Open("file"+format, data, identities)
	switch {
	case errors.Is(err, sops.ErrChanged):
		return refused(sealed.CodeChanged, err)
	case errors.Is(err, sops.ErrKey):
		return refused(sealed.CodeKey, err)
	case err != nil:
		return refused(sealed.CodeFormat, err)
	}
	return sealed.Answer{Values: values}
}

func refused(code string, err error) sealed.Answer {
	return sealed.Answer{Code: code, Message: err.Error()}
}

// readKeys reads age keys, one a line. Its errors repeat nothing of the file.
func readKeys(name string) ([]age.Identity, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read the keys: %s is no file", name)
	}
	identities, err := age.ParseIdentities(io.LimitReader(f, maxKeys))
	if err != nil {
		return nil, fmt.Errorf("read the keys: %s has no lines of the form AGE-SECRET-KEY-1…; age-keygen makes such a file", name)
	}
	return identities, nil
}

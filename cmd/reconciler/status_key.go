package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/signkey"
	"github.com/d-aros/d-aros/pkg/status"
)

// signFlags name the keys of the status branch: that of a command that writes, and those that are trusted.
type signFlags struct{ key, trust string }

func (f *signFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.key, "status-key", "", "private SSH key, ed25519 without passphrase, that signs the commits of the status branch; only signed ones are believed then")
}

func (f *signFlags) addTrust(fl *pflag.FlagSet, what string) {
	fl.StringVar(&f.trust, "status-trust", "", "file with public SSH keys, one a line, "+what)
}

// signing reads the keys, nil if there are none.
func (f *signFlags) signing() (*status.Signing, error) {
	if f.key == "" {
		return nil, nil
	}
	key, err := signkey.Read(f.key, signkey.Git)
	if err != nil {
		return nil, fmt.Errorf("read --status-key: %w", err)
	}
	public, ok := key.PublicEd25519()
	if !ok {
		return nil, fmt.Errorf("read --status-key: %s is no SSH key of type ed25519; make one with \"ssh-keygen -t ed25519\"", f.key)
	}
	var others []byte
	if f.trust != "" {
		if others, err = os.ReadFile(f.trust); err != nil {
			return nil, fmt.Errorf("read --status-trust: %w", err)
		}
	}
	trust, err := access.ParseKeys(string(others) + "\n" + public)
	if err != nil {
		return nil, fmt.Errorf("read --status-trust: %s: %w", f.trust, err)
	}
	return &status.Signing{Key: key, Trust: trust}, nil
}

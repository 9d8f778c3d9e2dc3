package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/sealed"
)

// decryptProgram opens encrypted files. It stands beside this program, which neither reads
// their keys nor links what opens them.
const decryptProgram = "reconciler-decrypt"

// sopsFlags say how encrypted files are opened.
type sopsFlags struct{ ageKeys string }

func (f *sopsFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.ageKeys, "sops-age-keys", "", "directory with a file of age keys for each tenant, by its name, that encrypted files of secrets are opened with; only "+decryptProgram+" beside this program reads them (default: encrypted files are not opened)")
}

// opener returns what opens encrypted files, nil without keys.
func (f *sopsFlags) opener() (*sealed.Opener, error) {
	if f.ageKeys == "" {
		return nil, nil
	}
	keys, err := filepath.Abs(f.ageKeys)
	if err != nil {
		return nil, err
	}
	program, err := executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	program = filepath.Join(filepath.Dir(program), decryptProgram)
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("--sops-age-keys needs %s beside the reconciler: %w; releases have both in one archive and in one image", decryptProgram, err)
	}
	return &sealed.Opener{Program: program, Keys: keys}, nil
}

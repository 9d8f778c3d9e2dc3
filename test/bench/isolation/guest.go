//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/d-aros/d-aros/test/guest"
)

// inGuest measures memory on v2 in a virtual machine: a host of v1 cannot lend it.
func inGuest(ctx context.Context, _ *rig, phase time.Duration) (figures []figure, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r, err := guest.Run(ctx, self, "guest", phase.String())
	if missing := (guest.Missing{}); errors.As(err, &missing) {
		return nil, cannot{missing}
	}
	if err != nil {
		return nil, err
	}
	line := regexp.MustCompile(`(?m)^FIGURES (.*)$`).FindStringSubmatch(r.Output)
	if r.Exit != "0" || line == nil {
		return nil, fmt.Errorf("the guest ended with %q: %s", r.Exit, r.Output)
	}
	return figures, json.Unmarshal([]byte(line[1]), &figures)
}

// measureInGuest is what runs there.
func measureInGuest(length string) error {
	phase, err := time.ParseDuration(length)
	if err != nil {
		return err
	}
	if err := os.Setenv("TMPDIR", "/var/tmp"); err != nil { // the disk
		return err
	}
	all, err := one(context.Background(), part{"memory", memory}, version{hierarchies: []string{""}, controllers: []string{"cpu", "memory"}}, phase)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].Name += ", v2, guest"
	}
	text, err := json.Marshal(all)
	fmt.Printf("\nFIGURES %s\n", text)
	return err
}

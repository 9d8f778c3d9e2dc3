package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/source/webhook"
)

// webhookFlags are where a Git host tells that somebody pushed.
type webhookFlags struct{ listen, key string }

func (f *webhookFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.listen, "webhook-listen", "", "`ADDRESS` to receive signed webhooks of the Git host on, which make the next poll come at once")
	fl.StringVar(&f.key, "webhook-key", "", "`FILE` with the secret that the Git host signs webhooks with")
}

func (f *webhookFlags) check() error {
	if (f.listen == "") != (f.key == "") {
		return errors.New("--webhook-listen and --webhook-key go together: a webhook without a signature is not accepted")
	}
	return nil
}

// open returns the handler of webhooks, nil if there is none. A repository that is watched needs none.
func (f *webhookFlags) open(watched bool, ref string) (*webhook.Handler, error) {
	if f.listen == "" {
		return nil, nil
	}
	if watched {
		return nil, errors.New("--webhook-listen: a repository on this machine is watched; leave the flag out")
	}
	read := func() ([]byte, error) { return outbound.ReadKeyFile(f.key) }
	if _, err := read(); err != nil {
		return nil, fmt.Errorf("--webhook-key: %w", err)
	}
	return webhook.New(webhook.Options{Key: read, Ref: ref, Now: time.Now}), nil
}

// hookServer bounds what a stranger who reaches the address can hold.
func hookServer(h *webhook.Handler) *http.Server {
	return &http.Server{Handler: h, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
}

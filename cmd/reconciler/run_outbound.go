package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/reconcile"
)

// outboundFlags are the hosts that the reconciler may contact besides Git and the cluster.
type outboundFlags struct {
	keys           string
	cidrs          []string
	webhook        string
	webhookKey     string
	commitStatus   string
	commitStatusID string
	commitToken    string
}

func (f *outboundFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.keys, "notify-keys", "", "`DIR` with the keys to sign workflow messages with, in files <tenant>/<secret>")
	fl.StringSliceVar(&f.cidrs, "egress-cidr", nil, "internal `NETWORK` that names in egress.hosts may resolve to, such as 10.0.0.0/8; never this machine, link-local addresses or the API server")
	fl.StringVar(&f.webhook, "notify-url", "", "`URL` that gets a message about every announcement: a transition, a step, a hold, drift …")
	fl.StringVar(&f.webhookKey, "notify-key", "", "`FILE` with the key to sign these messages with")
	fl.StringVar(&f.commitStatus, "commit-status-url", "", "`URL` of the fleet repo in the API of its Git host, to set commit statuses with: https://api.github.com/repos/acme/fleet")
	fl.StringVar(&f.commitStatusID, "commit-status-context", "d-aros", "context of the commit status: the name that it has among the others of a commit")
	fl.StringVar(&f.commitToken, "commit-status-token", "", "`FILE` with the token for commit statuses")
}

// outgoing are the connections of a running reconciler to these hosts.
type outgoing struct {
	dispatcher *outbound.Dispatcher
	listeners  []reconcile.Listener
	delivered  func() int64 // nil: there is nobody to whom announcements are delivered
	closers    []func() error
}

// reach is how far checks and messages of workflows, and questions about what runs elsewhere, go. API servers are where the
// connections of the reconciler to them lead now.
func (f *outboundFlags) reach(ctx context.Context, clusters []namedCluster) (r outbound.Reach, err error) {
	for _, cidr := range f.cidrs {
		network, err := netip.ParsePrefix(cidr)
		if err != nil {
			return r, fmt.Errorf("--egress-cidr %q is not a network; write it as in 10.0.0.0/8", cidr)
		}
		r.Internal = append(r.Internal, network)
	}
	for _, cluster := range clusters {
		u, _, err := rest.DefaultServerUrlFor(cluster.Config)
		if err != nil {
			return r, fmt.Errorf("find the API server: %w", err)
		}
		port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16)
		if err != nil {
			return r, fmt.Errorf("find the API server: %w", err)
		}
		addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
		if err != nil {
			return r, fmt.Errorf("find the API server, which workflows may not contact: %w", err)
		}
		for _, a := range addresses {
			r.Never = append(r.Never, netip.AddrPortFrom(a.Unmap(), uint16(port)))
		}
	}
	return r, nil
}

// open prepares the connections. With quiet, the reconciler notifies nobody.
func (f *outboundFlags) open(reach outbound.Reach, quiet bool, log *slog.Logger) (*outgoing, error) {
	v := &outgoing{dispatcher: outbound.NewDispatcher(outbound.Options{Keys: f.keys, Reach: reach})}
	v.closers = append(v.closers, func() error { v.dispatcher.Close(); return nil })
	if quiet {
		return v, nil
	}
	report := func(err error) { log.Warn("outbound", "error", err) }
	if f.webhook != "" {
		o := outbound.WebhookOptions{URL: f.webhook, Report: report, Now: time.Now}
		if f.webhookKey != "" {
			var err error
			if o.Key, err = outbound.ReadKeyFile(f.webhookKey); err != nil {
				return nil, errors.Join(fmt.Errorf("--notify-key: %w", err), v.close())
			}
		}
		w, err := outbound.OpenWebhook(o)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("--notify-url: %w", err), v.close())
		}
		v.listeners, v.closers, v.delivered = append(v.listeners, w), append(v.closers, w.Close), w.Delivered
	}
	if f.commitStatus != "" {
		s, err := outbound.OpenCommitStatus(outbound.CommitStatusOptions{
			URL: f.commitStatus, TokenFile: f.commitToken, Context: f.commitStatusID, Report: report,
		})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("--commit-status-url: %w", err), v.close())
		}
		v.listeners, v.closers = append(v.listeners, s), append(v.closers, s.Close)
	}
	return v, nil
}

func (v *outgoing) close() (err error) {
	for _, c := range v.closers {
		err = errors.Join(err, c())
	}
	return err
}

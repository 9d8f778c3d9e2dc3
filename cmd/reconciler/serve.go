package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/status"
)

// inspection answers probes and serves metrics.
func inspection(profiles bool, registry *prometheus.Registry, loop *reconcile.Loop, branch *status.Branch, stands *standing) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", probe(func() (string, error) { return "ok", loop.Alive() }))
	ready := probe(func() (string, error) {
		word, err := stands.ready(loop.Ready)
		return word + foreignNote(branch.Foreign, time.Now()), err
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if ended := loop.Health.LastPass(); !ended.IsZero() {
			w.Header().Set(dashboard.LastPass, ended.UTC().Format(time.RFC3339))
		}
		ready(w, r)
	})
	if profiles {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// serve answers requests until ctx ends. What is served stands in messages, and the flag that chooses the address.
func serve(ctx context.Context, what, flag, address string, server *http.Server, log *slog.Logger) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve %s: %w; choose another address with %s", what, err, flag)
	}
	server.ReadHeaderTimeout, server.ErrorLog = 5*time.Second, slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close()
		}
	})
	defer stop()
	log.Info("serving", "address", listener.Addr().String(), "what", what)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", what, err)
	}
	return nil
}

// foreignNote names the last foreign commit on the status branch, for an hour.
func foreignNote(found func() ([]status.ForeignCommit, int), now time.Time) string {
	latest, _ := found()
	if len(latest) == 0 || now.Sub(latest[len(latest)-1].At) > time.Hour {
		return ""
	}
	f := latest[len(latest)-1]
	if f.Deleted {
		return fmt.Sprintf("; but the status branch was deleted, found %s, at commit %s", f.At.UTC().Format(time.RFC3339), f.Commit)
	}
	return fmt.Sprintf("; but commit %s of the status branch, found %s, %s, and nothing that it says was believed", f.Commit, f.At.UTC().Format(time.RFC3339), f.Why)
}

// probe answers 200 with a word, or 503 with the error of the check.
func probe(check func() (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		word, err := check()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, word)
	}
}

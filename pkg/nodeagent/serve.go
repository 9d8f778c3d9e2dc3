//go:build linux

package nodeagent

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// serve serves metrics and health until stop, if an address is configured.
func (a *agent) serve() (stop func(), err error) {
	if a.cfg.Listen == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", a.cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	server := &http.Server{Handler: a.handler(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	a.cfg.Log.Info("listening", "address", l.Addr().String())
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
		<-done
	}, nil
}

// handler serves /metrics and /healthz. The agent is healthy while its loop makes
// passes. A refused plan does not count, because a restart would not help.
func (a *agent) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		late := 3*a.cfg.Interval + 5*time.Second
		if last := a.metrics.lastPass.Load(); last == 0 || time.Since(time.Unix(0, last)) > late {
			http.Error(w, "the loop has not finished a pass for a while", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
		if problem := a.metrics.problem.Load(); problem != nil && *problem != "" {
			fmt.Fprintln(w, *problem)
		}
	})
	return mux
}

//go:build linux

package nodeagent

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/text"
)

// Publishing brings what the report of the agent says of broken promises into a ConfigMap that
// the reconciler reads. It is no part of the agent, which has no connection to a cluster.
type Publishing struct {
	StateDir  string // of the agent
	Server    string // URL of the API server
	Namespace string
	ConfigMap string // that the nodes of a pool share
	Node      string // the key in it
	TokenFile string // read for each request: it is replaced
	CAFile    string
	Log       *slog.Logger

	// Settle is how long a promise has held when it is published that it holds again. What
	// is not kept is published at once.
	Settle time.Duration
}

const (
	lookEvery     = time.Second      // for another report
	leastPublish  = 5 * time.Second  // between two requests that succeed
	mostPublish   = 5 * time.Minute  // between two that fail
	publishWithin = 10 * time.Second // one
	mostReport    = 64 << 20         // bytes of the agent's report
)

// publisher is a run of Publish.
type publisher struct {
	Publishing
	looked fs.FileInfo
	now    qos.Report // of the agent's report
	told   map[promise]tellable
	sent   *string                     // the last document, nil before the first
	waits  *backoff.ExponentialBackOff // after errors
	next   time.Time                   // when a request may follow
	said   string                      // the last error
}

// promise says which one it is.
type promise struct{ workload, resource, setting string }

// tellable is a promise that is not kept, and when it was not kept last.
type tellable struct {
	qos.Shortfall
	last time.Time
}

// Publish publishes the report each time that it says something else, until ctx is done. The
// first request tells what is so now, also if that is nothing. What it cannot send it tries
// again, with growing waits.
func Publish(ctx context.Context, p Publishing) error {
	server, err := url.Parse(p.Server)
	if err != nil || server.Scheme != "https" || server.Host == "" {
		return fmt.Errorf("--server %.200q: want https://HOST:PORT", p.Server)
	}
	run := newPublisher(p)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		run.turn(ctx, time.Now())
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func newPublisher(p Publishing) *publisher {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = leastPublish, mostPublish
	return &publisher{Publishing: p, told: map[promise]tellable{}, waits: waits}
}

// turn looks at the report, and publishes it if it is due. An error is logged once.
func (p *publisher) turn(ctx context.Context, now time.Time) {
	if now.Before(p.next) {
		return
	}
	switch err := p.publish(ctx, now); {
	case ctx.Err() != nil:
	case err == nil:
		p.waits.Reset()
		p.said = ""
	default:
		p.next = now.Add(p.waits.NextBackOff())
		if err.Error() != p.said {
			p.said = err.Error()
			p.Log.Error("report not published", "error", err)
		}
	}
}

// publish sends what there is to say, if that is news.
func (p *publisher) publish(ctx context.Context, now time.Time) error {
	if err := p.look(); err != nil || p.looked == nil {
		return err
	}
	r := p.settled(now)
	document := r.Encode()
	if p.sent != nil && *p.sent == document {
		return nil
	}
	if err := p.send(ctx, document); err != nil {
		return err
	}
	p.sent, p.next = &document, now.Add(leastPublish)
	p.Log.Info("report published", "configMap", p.ConfigMap, "node", p.Node, "notKept", len(r.Shortfalls)+r.Omitted)
	return nil
}

// look reads the report if it was replaced.
func (p *publisher) look() error {
	path := filepath.Join(p.StateDir, reportFile)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the agent has not written one yet
	case err != nil:
		return err
	case p.looked != nil && os.SameFile(p.looked, info) && p.looked.ModTime().Equal(info.ModTime()):
		return nil
	case info.Size() > mostReport:
		return fmt.Errorf("read %s: %d bytes, at most %d are read", path, info.Size(), mostReport)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	p.looked, p.now = info, qos.NewReport(r.Shortfalls())
	return nil
}

// settled returns the report to publish: what the agent's report has, and what it had until
// lately. A promise that breaks again and again is one that is not kept, and other figures of
// it are no news.
func (p *publisher) settled(now time.Time) qos.Report {
	for _, s := range p.now.Shortfalls {
		key := promise{s.Workload, s.Resource, s.Setting}
		if was, known := p.told[key]; known && was.Promised == s.Promised {
			s = was.Shortfall
		}
		p.told[key] = tellable{s, now}
	}
	var all []qos.Shortfall
	for key, t := range p.told {
		if now.Sub(t.last) > p.Settle {
			delete(p.told, key)
			continue
		}
		all = append(all, t.Shortfall)
	}
	r := qos.NewReport(all)
	r.Omitted += p.now.Omitted
	return r
}

// send writes the key of the node, or takes it out.
func (p *publisher) send(ctx context.Context, document string) error {
	var value any
	if document != "" {
		value = document
	}
	patch, err := json.Marshal(map[string]any{"data": map[string]any{p.Node: value}})
	if err != nil {
		return err
	}
	client, err := p.client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	token, err := os.ReadFile(p.TokenFile)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, publishWithin)
	defer cancel()
	where := p.Server + "/api/v1/namespaces/" + url.PathEscape(p.Namespace) + "/configmaps/" + url.PathEscape(p.ConfigMap) + "?fieldManager=d-aros-nodeagent"
	request, err := http.NewRequestWithContext(ctx, http.MethodPatch, where, bytes.NewReader(patch))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/merge-patch+json")
	request.Header.Set("Authorization", "Bearer "+string(bytes.TrimSpace(token)))
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	why, _ := io.ReadAll(io.LimitReader(answer.Body, 2<<10))
	return fmt.Errorf("patch ConfigMap %s/%s: %s: %s", p.Namespace, p.ConfigMap, answer.Status, text.Clean(string(why)))
}

// client trusts the authority of the cluster and follows no other address: the token is for
// the API server alone.
func (p *publisher) client() (*http.Client, error) {
	pem, err := os.ReadFile(p.CAFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", p.CAFile)
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
